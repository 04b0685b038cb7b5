/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packed comparison, for the viewer (columns and info are those of diff_page.c). The tree as
 * it came has its verdicts with it; those made of it (leaf first, without some frames) are tested
 * here, with the spread that is typical of all frames. */
const diffHooks = (() => {
	function packed(tree) {
		const c = tree.columns;
		const columns = { delta: c.delta, low: c.low, high: c.high, q: c.q, selfDelta: c.selfDelta,
			selfLow: c.selfLow, selfHigh: c.selfHigh, selfQ: c.selfQ };
		const changed = tree.info.changed;
		const changedLabels = names => Uint8Array.from(tree.labels.name, n => names.has(n) ? 1 : 0);
		const self = changedLabels(new Set(changed.self)), total = changedLabels(new Set(changed.total));
		return Object.assign(columns, { functions: own => own ? self : total });
	}

	/* Hooks of flame_view.js; bar(view) makes the buttons, which then follow the state. */
	function make(base) {
		const known = new Map();
		const hooks = diffView.hooks(tree => {
			if (!known.has(tree)) {
				known.clear();
				known.set(tree, tree === base ? packed(tree) : diffTest.typical(tree, tree.info));
			}
			return known.get(tree);
		}, base.info.sides);
		let bar = null;
		hooks.ownColors = true;
		const made = hooks.made;
		hooks.made = (tree, own) => {
			made(tree, own);
			if (bar)
				bar.reflect(own);
		};
		hooks.bar = view => {
			bar = diffView.bar(view, ["Before", "After"]);
			bar.reflect(view.state().own);
			return bar.box;
		};
		return hooks;
	}

	return { make };
})();
