/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text for screen readers about the focused frame, which is an item of a tree. */
const flameA11y = (() => {
	function describe(item, tree, node, text) {
		const above = tree.parent[node];
		let place = 1, size = 0;
		for (let c = above + 1; node && c < tree.end[above]; c = tree.end[c]) {
			size++;
			place = c === node ? size : place;
		}
		item.setAttribute("aria-level", Math.abs(tree.depth[node]) + 1);
		item.setAttribute("aria-posinset", place);
		item.setAttribute("aria-setsize", Math.max(size, 1));
		if (tree.end[node] > node + 1)
			item.setAttribute("aria-expanded", "true");
		else
			item.removeAttribute("aria-expanded");
		item.setAttribute("aria-selected", "true");
		item.textContent = text;
	}

	return { describe };
})();
