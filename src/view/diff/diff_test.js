/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Testing all nodes of a tree in the page: the results for diff_view.js. One family of tests,
 * as in src/profile/diff/diff.c: frames that always occur together are one question, and so are a leaf
 * and what it called. */
const diffTest = (() => {
	const NAMES = ["delta", "low", "high", "q"];
	const PARTS = ["total", "self"];

	/* Which node's verdict on `part` is that of node i: a chain's is its innermost frame's; -1 = no
	 * samples, nothing to test. Children come after their parents. */
	function chooseTests(tree, before, after) {
		const tests = { total: new Int32Array(tree.count), self: new Int32Array(tree.count) };
		for (let i = tree.count - 1; i >= 0; i--) {
			const own = before.self[i] || after.self[i], child = i + 1, end = tree.end[i];
			const leaf = end === child, link = !leaf && !own && tree.end[child] === end;
			tests.total[i] = !(before.total[i] || after.total[i]) ? -1 : link ? tests.total[child] : i;
			tests.self[i] = own ? i : -1;
		}
		return tests;
	}

	/* before, after: { total, self } weights by node; changeOf(part, node): a change of
	 * diff_statistics.js. */
	function decide(tree, before, after, changeOf, rate) {
		const tests = chooseTests(tree, before, after), changes = [], made = {};
		const place = { total: new Int32Array(tree.count), self: new Int32Array(tree.count) };
		for (let i = 0; i < tree.count; i++) {
			const leaf = tree.end[i] === i + 1;
			for (const part of PARTS)
				if (tests[part][i] === i && !(part === "self" && leaf))
					place[part][i] = changes.push(changeOf(part, i)) - 1;
			if (leaf)
				place.self[i] = place.total[i];
		}
		const decided = diffStatistics.decide(Float64Array.from(changes, c => c.p), rate);
		const intervals = allIntervals(changes, decided.level);
		for (const part of PARTS) {
			const columns = NAMES.map(() => new Float64Array(tree.count));
			for (let i = 0; i < tree.count; i++) {
				const from = tests[part][i], at = from < 0 ? -1 : place[part][from];
				const values = at < 0 ? [0, 0, 0, 1] : [changes[at].share[1] - changes[at].share[0],
					intervals[at][0], intervals[at][1], decided.q[at]];
				values.forEach((value, k) => { columns[k][i] = value; });
			}
			NAMES.forEach((name, k) => {
				made[part === "self" ? "self" + name[0].toUpperCase() + name.slice(1) : name] =
					columns[k];
			});
		}
		return Object.assign(made, { found: decided.found, tests: changes.length });
	}

	function allIntervals(changes, level) {
		const limits = new Map(); /* most changes are Gaussian */
		return changes.map(change => {
			if (!limits.has(change.df))
				limits.set(change.df, diffStatistics.critical(level, change.df));
			return diffStatistics.interval(change, limits.get(change.df));
		});
	}

	/* A tree threads are not known one by one: as many as `effective` on each side, which
	 * scatter `spread` times as much as if drawn one by one. */
	function typical(tree, { effective, spread, rate }) {
		const before = { total: tree.otherTotal, self: tree.other };
		const after = { total: tree.total, self: tree.self };
		const sides = [before, after].map((side, i) => ({ weight: side.total[0],
			squares: side.total[0] ** 2 / (effective[i] || 1), blocks: 0 }));
		const unit = sides.map(side => side.weight ? side.squares / side.weight : 1);
		const changeOf = (part, i) => diffStatistics.change(sides,
			[before, after].map((side, k) => ({ weight: side[part][i],
				squares: side[part][i] * unit[k] })), spread);
		return Object.assign(decide(tree, before, after, changeOf, rate),
			{ note: "tested in this view, assuming typical scatter" });
	}

	return { decide, typical };
})();
