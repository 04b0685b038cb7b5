/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours that are not of the name: of a change between two profiles, or of the width. The same
 * scales as flame_paint.c's; red and blue stay apart for every common colour blindness. */
const flameChange = (() => {
	const hex = (r, g, b) => "#" + [r, g, b].map(v =>
		Math.floor(v).toString(16).padStart(2, "0")).join("");
	const red = share => hex(255, 230 - 190 * share, 230 - 190 * share);
	const blue = share => hex(230 - 150 * share, 230 - 100 * share, 255);
	const greatest = new WeakMap(); /* by the weights it was found in */

	function greatestOf(tree) {
		let most = greatest.get(tree.otherTotal);
		if (most === undefined) {
			most = 0;
			for (let i = 1; i < tree.count; i++)
				most = Math.max(most, Math.abs(tree.total[i] - tree.otherTotal[i]));
			greatest.set(tree.otherTotal, most);
		}
		return most;
	}

	/* { fill, dark }, or null where the colour of the name is right. */
	function look(node, tree) {
		const info = tree.info;
		if (tree.other && node && !info.ratio) {
			const change = (tree.total[node] - tree.otherTotal[node]) * (info.negate ? -1 : 1);
			const most = greatestOf(tree) || 1;
			return { fill: change === 0 ? "#fafafa" :
				change > 0 ? red(change / most) : blue(-change / most), dark: false };
		}
		if (info.diffusion)
			return { fill: red(Math.min(tree.drawn[node] / (tree.drawn[0] || 1), 1)), dark: false };
		return null;
	}

	return { look };
})();
