/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests of src/profile/significance.c, for selections that only a page knows. See there for
 * what they are and where they come from. */
const diffStatistics = (() => {
	const SMALL_COUNT = 20; /* expected samples below which counts are compared exactly */
	const LEAST = 1e-300, LONG_DOUBT = 2.5;

	/* Lanczos' approximation. */
	function logGamma(x) {
		const terms = [76.18009172947146, -86.50532032941677, 24.01409824083091,
			-1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5];
		let sum = 1.000000000190015;
		terms.forEach((term, i) => { sum += term / (x + i + 1); });
		return (x + 0.5) * Math.log(x + 5.5) - (x + 5.5) + Math.log(2.5066282746310005 * sum / x);
	}

	function betaFraction(x, a, b) {
		let c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
		for (let m = 1; m <= 400; m++) {
			const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
			const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
			for (const term of [even, odd]) {
				d = 1 / (1 + term * d || LEAST);
				c = 1 + term / c || LEAST;
				h *= d * c;
			}
			if (Math.abs(d * c - 1) < 1e-13)
				break;
		}
		return h;
	}

	/* Regularised incomplete beta function; y = 1 - x. */
	function betaShare(x, y, a, b) {
		if (x <= 0 || y <= 0)
			return x <= 0 ? 0 : 1;
		const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) +
			b * Math.log(y));
		return x < (a + 1) / (a + b + 2) ? front * betaFraction(x, a, b) / a :
			1 - front * betaFraction(y, b, a) / b;
	}

	/* P(|T| ≥ t); many degrees of freedom stand for the normal distribution. */
	function twoSided(t, df) {
		const n = Math.min(df, 1e7), square = t * t;
		return betaShare(n / (n + square), square / (n + square), n / 2, 0.5);
	}

	/* The t with twoSided(t) = p. */
	function critical(p, df) {
		let low = 0, high = 1;
		if (p >= 1)
			return 0;
		while (high < 1e6 && twoSided(high, df) > Math.max(p, LEAST))
			high *= 2;
		for (let i = 0; i < 60; i++) {
			const middle = (low + high) / 2;
			if (twoSided(middle, df) > p)
				low = middle;
			else
				high = middle;
		}
		return high;
	}

	function logChoose(n, k) {
		return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
	}

	/* Fisher's test of two groups, with mid-p. */
	function midP(inFirst, marked, first, second) {
		const low = Math.max(0, marked - second), high = Math.min(marked, first);
		const at = Math.min(Math.max(inFirst, low), high);
		if (low >= high)
			return 1;
		const here = Math.exp(logChoose(first, at) + logChoose(second, marked - at) -
			logChoose(first + second, marked));
		const down = at <= marked * first / (first + second);
		let k = at, term = 1, sum = 0.5;
		for (;;) {
			if (down) {
				term *= k * (second - marked + k) / ((marked - k + 1) * (first - k + 1));
				k--;
			} else {
				term *= (marked - k) * (first - k) / ((k + 1) * (second - marked + k + 1));
				k++;
			}
			if (!(term > 0) || term < sum * 1e-17 || !isFinite(term))
				break;
			sum += term;
		}
		const tail = here * sum;
		return Math.min(1, 2 * Math.min(tail, 1 - tail));
	}

	function wilson(share, n, z) {
		const square = z * z, middle = (share + square / (2 * n)) / (1 + square / n);
		const half = z / (1 + square / n) * Math.sqrt(share * (1 - share) / n + square / (4 * n * n));
		return [share > 0 ? Math.max(0, middle - half) : 0,
			share < 1 ? Math.min(1, middle + half) : 1];
	}

	function plainVariance(side, of) {
		const p = of.weight / side.weight, others = Math.max(0, side.squares - of.squares);
		return ((1 - p) * (1 - p) * of.squares + p * p * others) / (side.weight * side.weight);
	}

	function blockVariance(side, of, squares, cross, sideSquares, count) {
		const p = of.weight / side.weight, sum = squares - 2 * p * cross + p * p * sideSquares;
		return Math.max(0, sum) * count / (count - 1) / (side.weight * side.weight);
	}

	/* How much wider than samples drawn one by one, and how well that is known. Rhythms that even
	 * out over long blocks are not chance. */
	function sideSpread(side, of) {
		const plain = plainVariance(side, of);
		const spread = blockVariance(side, of, of.blockSquares, of.blockCross, side.blockSquares,
			side.blocks) / plain;
		const longSpread = side.longBlocks < 2 ? Infinity : LONG_DOUBT * blockVariance(side, of,
			of.longSquares, of.longCross, side.longSquares, side.longBlocks) / plain;
		return longSpread < spread ? { spread: longSpread, df: side.longBlocks - 1 } :
			{ spread, df: side.blocks - 1 };
	}

	function effective(side, of) {
		const p = of.weight / side.weight, variance = plainVariance(side, of);
		return variance > 0 && p < 1 ? p * (1 - p) / variance :
			side.weight * side.weight / side.squares;
	}

	/* How bursty: { spread, df }. */
	function findSpread(sides, of, share, samples) {
		let sum = 0, weight = 0, squares = 0;
		for (let i = 0; i < 2; i++) {
			const plain = plainVariance(sides[i], of[i]);
			if (sides[i].blocks < 2 || plain <= 0)
				continue;
			const seen = share[i] * samples[i];
			const own = sideSpread(sides[i], of[i]), part = seen * own.spread;
			weight += seen;
			sum += part;
			squares += part * part / own.df;
		}
		return weight > 0 && sum > weight ? { spread: sum / weight, df: sum * sum / squares } :
			{ spread: 1, df: Infinity };
	}

	function exactP(share, samples) {
		const first = Math.max(1, Math.round(samples[0])), second = Math.max(1, Math.round(samples[1]));
		let a = Math.round(share[0] * first), b = Math.round(share[1] * second);
		if (a + b > (first + second) / 2) {
			a = first - a;
			b = second - b;
		}
		return midP(a, a + b, first, second);
	}

	/* sides: [{ weight, squares, blocks, blockSquares, longBlocks, longSquares }], blocks 0 = times
	 * are not known; of: [{ weight, squares, blockSquares, blockCross, longSquares, longCross }] of
	 * one frame. least: a spread known from elsewhere. */
	function change(sides, of, least) {
		const made = { share: [0, 0], samples: [0, 0], p: 1, distance: 0, df: Infinity };
		for (let i = 0; i < 2; i++) {
			if (!(sides[i].weight > 0))
				return made;
			made.share[i] = of[i].weight / sides[i].weight;
			made.samples[i] = effective(sides[i], of[i]);
		}
		const found = findSpread(sides, of, made.share, made.samples);
		const spread = Math.max(found.spread, least || 1);
		made.df = found.df;
		made.samples = made.samples.map(n => n / spread);
		const [n0, n1] = made.samples, pooled = (made.share[0] * n0 + made.share[1] * n1) / (n0 + n1);
		const error = Math.sqrt(pooled * (1 - pooled) * (1 / n0 + 1 / n1));
		if (!(error > 0))
			return made;
		made.distance = Math.abs(made.share[1] - made.share[0]) / error;
		made.p = twoSided(made.distance, made.df);
		if (Math.min(pooled, 1 - pooled) * Math.min(n0, n1) < SMALL_COUNT) {
			const exact = exactP(made.share, made.samples);
			made.p = isFinite(made.df) ? Math.max(exact, made.p) : exact;
			made.distance = made.p > 1e-200 ? critical(made.p, made.df) : made.distance;
		}
		return made;
	}

	/* limit: critical(level, change.df), which callers keep for equal df. */
	function interval(made, limit) {
		const delta = made.share[1] - made.share[0];
		const near = made.distance > 0 ? limit * Math.abs(delta) / made.distance : 0;
		if (!(made.samples[0] > 0 && made.samples[1] > 0))
			return [-1, 1];
		const [l0, u0] = wilson(made.share[0], made.samples[0], limit);
		const [l1, u1] = wilson(made.share[1], made.samples[1], limit);
		return [delta - (delta > 0 ? near : Math.hypot(made.share[1] - l1, u0 - made.share[0])),
			delta + (delta < 0 ? near : Math.hypot(u1 - made.share[1], made.share[0] - l0))];
	}

	/* Benjamini and Hochberg: { q, level }: chosen is what has p ≤ level. */
	function decide(p, rate) {
		const order = Array.from(p.keys()).sort((a, b) => p[a] - p[b]);
		const q = new Float64Array(p.length);
		let least = 1, found = 0;
		for (let i = order.length - 1; i >= 0; i--) {
			least = Math.min(least, p[order[i]] * p.length / (i + 1));
			q[order[i]] = least;
			found += least <= rate;
		}
		return { q, found, level: p.length ? rate * Math.max(found, 1) / p.length : rate };
	}

	return { twoSided, critical, midP, wilson, change, interval, decide };
})();
