/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function between its callers and its callees, as one tree: the root is all weight, its only
 * child is the function, wherever it was called; see `callers` in flame_data.js. A function that
 * calls itself counts where it is outermost. Pure functions. */
const flameSandwich = (() => {
	/* Merges labels of one name, since modules do not matter here. */
	function merged(tree, name) {
		const same = flameModel.labelsNamed(tree, name), label = tree.label.slice();
		const one = same.indexOf(1), only = new Uint8Array(same.length);
		for (let i = 0; i < label.length; i++)
			if (same[label[i]])
				label[i] = one;
		if (one >= 0)
			only[one] = 1;
		return { tree: Object.assign({}, tree, { label }), only };
	}

	/* Callers: all weight of the outermost frames counts as their own, leaf first. */
	function callersOf(tree, only) {
		const self = new Float64Array(tree.count);
		const other = tree.other ? new Float64Array(tree.count) : null;
		for (let i = 1; i < tree.count;) {
			if (!only[tree.label[i]]) {
				i++;
				continue;
			}
			self[i] = tree.total[i];
			if (other)
				other[i] = tree.otherTotal[i];
			i = tree.end[i];
		}
		const first = tree.first && flameModel.seen(tree);
		return flameModel.reverse(Object.assign({}, tree, { self, other, first }),
			flameModel.LEAST_SHARE);
	}

	/* Joins `below` and `above`; both have a root and the function, which are kept once. */
	function join(below, above, whole) {
		const count = below.count + above.count - 2, from = below.count;
		const tree = flameData.blank(count, whole.labels, whole.info);
		const self = new Float64Array(count), other = whole.other ? new Float64Array(count) : null;
		tree.first = whole.first ? new Float32Array(count) : null;
		const put = (i, source, k, parent, depth) => {
			tree.parent[i] = parent;
			tree.label[i] = source.label[k];
			tree.depth[i] = depth;
			self[i] = source.self[k];
			if (other)
				other[i] = source.other[k];
			if (source.first)
				tree.first[i] = source.first[k];
			if (source.smaller.has(k))
				tree.smaller.set(i, source.smaller.get(k));
		};
		for (let i = 0; i < from; i++) {
			put(i, below, i, below.parent[i], Math.max(below.depth[i] - 1, 0));
			tree.end[i] = i < 2 ? count : below.end[i];
		}
		for (let k = 2; k < above.count; k++) {
			const at = k - 2 + from, parent = above.parent[k];
			put(at, above, k, parent === 1 ? 1 : parent - 2 + from, 1 - above.depth[k]);
			tree.end[at] = above.end[k] - 2 + from;
		}
		tree.callers = from;
		self[0] = whole.total[0] - below.total[1];
		if (other)
			other[0] = whole.otherTotal[0] - below.otherTotal[1];
		flameData.setWeights(tree, self, other);
		return tree;
	}

	/* null when no frame has that name. */
	function make(whole, state) {
		const { tree, only } = merged(whole, state.sandwich);
		let below = flameModel.focus(tree, only);
		if (below.count < 2)
			return null;
		let above = callersOf(tree, only);
		[below, above] = [below, above].map(tree => flameModel.sorted(tree, state.sort));
		return join(below, above, whole);
	}

	/* What a view draws may be wider than weights are: callers as wide as fits. */
	function fit(tree) {
		let sum = 0;
		for (let i = tree.callers; i && i < tree.count; i = tree.end[i])
			sum += tree.drawn[i];
		if (sum <= tree.drawn[1] * (1 + 1e-9))
			return;
		tree.drawn = tree.drawn.map((w, i) => i < tree.callers ? w : w * tree.drawn[1] / sum);
	}

	/* Weight of the function's stacks that have one of these labels anywhere; whole: the tree that
	 * all of this was made of. */
	function matched(whole, name, labels) {
		const only = flameModel.labelsNamed(whole, name), has = new Uint8Array(whole.count);
		let sum = 0;
		for (let i = 1; i < whole.count; i++) {
			const label = whole.label[i];
			has[i] = has[whole.parent[i]] | (only[label] ? 1 : 0) | (labels[label] ? 2 : 0);
			if (has[i] === 3)
				sum += whole.self[i];
		}
		return sum;
	}

	return { make, fit, matched };
})();
