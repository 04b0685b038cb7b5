/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a frame can be copied: its name, its stack, folded text of all that stands on it. */
const flameCopy = (() => {
	/* Names from the root to the node, the root of all left out. */
	function stack(tree, node) {
		const names = [];
		for (let at = node; at; at = tree.parent[at])
			names.unshift(tree.labels.name[tree.label[at]]);
		return names;
	}

	function folded(tree, node) {
		const scale = tree.info.scale || 1, lines = [];
		for (let at = node; at < tree.end[node]; at++)
			if (tree.self[at])
				lines.push(stack(tree, at).join(";") + " " + tree.self[at] / scale);
		return lines.join("\n") + "\n";
	}

	/* Resolves to whether the clipboard took it. */
	async function write(text) {
		try {
			await navigator.clipboard.writeText(text);
			return true;
		} catch (error) {
			return false;
		}
	}

	return { stack, folded, write };
})();
