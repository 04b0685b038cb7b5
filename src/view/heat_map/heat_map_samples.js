/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of a heat map: times and nodes of the tree (the format is in heat_map.c). And
 * what ranges of time say about nodes. Pure but for unpacking. */
const heatMapSamples = (() => {
	const BLOCKS_MIN = 20, BLOCKS_MAX = 32, USELESS = 8, LONG = 4; /* as in src/profile/diff/diff_sums.c */

	function fill(from, into) {
		for (let i = 0; i < into.length; i++)
			into[i] = from.number();
	}

	async function unpack(text) {
		const all = flameData.reader(await flameData.inflate(text));
		const info = JSON.parse(new TextDecoder().decode(all.take(all.number())));
		const places = new Int32Array(info.places), node = new Int32Array(info.count);
		const time = new Float64Array(info.count); /* seconds since the first sample */
		fill(all.section(), places);
		fill(all.section(), time);
		let now = 0;
		for (let i = 0; i < info.count; i++) {
			now += time[i];
			time[i] = now * info.unit_ns / 1e9;
		}
		fill(all.section(), node);
		for (let i = 0; i < info.count; i++)
			node[i] = places[node[i]];
		let weight = null;
		if (info.weights) {
			weight = new Float64Array(info.count);
			fill(all.section(), weight);
		} else {
			all.section();
		}
		const lanes = {};
		for (const kind of ["cpu", "thread"]) {
			const section = all.section();
			lanes[kind] = { names: info.lanes[kind], of: new Int32Array(info.count) };
			if (section.left())
				fill(section, lanes[kind].of);
		}
		return { count: info.count, time, node, weight, lanes,
			end: info.count ? time[info.count - 1] : 0 };
	}

	/* The samples in the lanes of a range: { kind, first, last }, if it has lanes. */
	function inLanes(samples, range) {
		if (!range.lanes)
			return samples;
		const { kind, first, last } = range.lanes, { of } = samples.lanes[kind], kept = [];
		for (let i = 0; i < samples.count; i++)
			if (of[i] >= first && of[i] <= last)
				kept.push(i);
		const take = from => from && from.constructor.from(kept, i => from[i]);
		return Object.assign({}, samples, { count: kept.length, time: take(samples.time),
			node: take(samples.node), weight: take(samples.weight) });
	}

	/* Index of the first sample at or after a time. */
	function at(samples, seconds) {
		let low = 0, high = samples.count;
		while (low < high) {
			const middle = low + high >> 1;
			if (samples.time[middle] < seconds)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* Weight by node of the samples in [from, to) seconds. */
	function weights(all, nodes, range) {
		const samples = inLanes(all, range);
		const self = new Float64Array(nodes), end = at(samples, range.to);
		for (let i = at(samples, range.from); i < end; i++)
			self[samples.node[i]] += samples.weight ? samples.weight[i] : 1;
		return self;
	}

	/* Sums over blocks of time, which distinguish bursts from single samples: { side, total,
	 * self }, the latter two by node with weight, squares, blockSquares, blockCross. */
	function sums(all, tree, range) {
		const samples = inLanes(all, range);
		const first = at(samples, range.from), last = at(samples, range.to), n = tree.count;
		const fresh = () => ({ weight: new Float64Array(n), squares: new Float64Array(n),
			blockSquares: new Float64Array(n), blockCross: new Float64Array(n),
			longSquares: new Float64Array(n), longCross: new Float64Array(n) });
		const made = { side: { weight: 0, squares: 0, blocks: 0, blockSquares: 0, longBlocks: 0,
			longSquares: 0 }, total: fresh(),
			self: fresh() };
		for (let i = first; i < last; i++) {
			const weight = samples.weight ? samples.weight[i] : 1, node = samples.node[i];
			made.self.weight[node] += weight;
			made.self.squares[node] += weight * weight;
			made.side.weight += weight;
			made.side.squares += weight * weight;
		}
		for (const name of ["weight", "squares"])
			made.total[name] = flameData.sums(tree, made.self[name]);
		addBlocks(samples, tree, range, { first, last }, made);
		return made;
	}

	function addBlocks(samples, tree, range, { first, last }, made) {
		const length = range.to - range.from;
		let blocks = Math.min(Math.max(Math.floor(length), BLOCKS_MIN), BLOCKS_MAX);
		blocks = Math.min(blocks, Math.floor((last - first) / 5));
		if (blocks < USELESS)
			return;
		blocks -= blocks % LONG;
		made.side.blocks = blocks;
		made.side.longBlocks = blocks / LONG;
		let group = null, groupAll = 0;
		for (let block = 0, i = first; block < blocks; block++) {
			const until = range.from + length * (block + 1) / blocks;
			const self = new Float64Array(tree.count);
			let all = 0;
			for (; i < last && (samples.time[i] < until || block === blocks - 1); i++) {
				const weight = samples.weight ? samples.weight[i] : 1;
				self[samples.node[i]] += weight;
				all += weight;
			}
			addSquares(tree, made, self, all, "block");
			if (block % LONG === 0) {
				group = new Float64Array(tree.count);
				groupAll = 0;
			}
			for (let k = 0; k < tree.count; k++)
				group[k] += self[k];
			groupAll += all;
			if (block % LONG === LONG - 1)
				addSquares(tree, made, group, groupAll, "long");
		}
	}

	function addSquares(tree, made, self, all, name) {
		const squares = name + "Squares", cross = name + "Cross", total = flameData.sums(tree, self);
		made.side[squares] += all * all;
		for (const [into, from] of [[made.self, self], [made.total, total]])
			for (let k = 0; k < tree.count; k++) {
				into[squares][k] += from[k] * from[k];
				into[cross][k] += from[k] * all;
			}
	}

	/* Verdicts on all nodes of the packed tree; before and after are ranges. */
	function compare(samples, tree, before, after, rate) {
		const sides = [before, after].map(range => sums(samples, tree, range));
		const [first, second] = sides.map(s => ({ total: s.total.weight, self: s.self.weight }));
		const changeOf = (part, i) => diffStatistics.change(sides.map(s => s.side), sides.map(s => ({
			weight: s[part].weight[i], squares: s[part].squares[i],
			blockSquares: s[part].blockSquares[i], blockCross: s[part].blockCross[i],
			longSquares: s[part].longSquares[i], longCross: s[part].longCross[i] })));
		return Object.assign(diffTest.decide(tree, first, second, changeOf, rate), {
			effective: sides.map(({ side }) => side.squares ? side.weight ** 2 / side.squares : 0) });
	}

	return { unpack, at, weights, compare };
})();
