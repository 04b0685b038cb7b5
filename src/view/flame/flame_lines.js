/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of a function, for the table: where it spends time itself, and where what it calls
 * comes from. tree.lines, of the packed tree, has them by name (flame_lines.h). */
const flameLines = (() => {
	const has = (base, name) => !!base.lines && base.lines.has(name);

	/* Hottest first; order: column. */
	function table(base, name, order) {
		const all = base.info.lines || 1;
		const list = (base.lines.get(name) || []).slice();
		const by = [null, "self", "total"][order];
		list.sort((a, b) => by ? b[by] - a[by] || a.line - b.line :
			a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line);
		return { heads: ["line of " + name, "self", "total"], sorted: order, plain: true,
			note: "lines with samples: " + list.length + (base.info.parts ? "; of " +
				base.info.parts.events[base.info.parts.main].name + " in all threads" : ""),
			rows: list.map(l => [l.file + ":" + l.line, flameText.percent(l.self, all),
				flameText.percent(l.total, all)]) };
	}

	return { has, table };
})();
