/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of a function, for the table: where it spends time itself, and where what it calls
 * comes from; as a listing where the text of the source is known. tree.lines, of the packed tree, has
 * them by name (flame_lines.h), tree.source the text by file and line. */
const flameLines = (() => {
	const AROUND = 3; /* lines of a listing on both sides of one with samples */
	const has = (base, name) => !!base.lines && base.lines.has(name);

	function textOf({ source }, { file, line }) {
		return source && source.has(file) ? source.get(file).get(line) : undefined;
	}

	function byPlace(a, b) {
		return a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line;
	}

	/* Of lines in order of their places: these and those around them, with words where one file or
	 * part of it ends and the next begins. */
	function listing(base, list) {
		const rows = [];
		let file = null, shown = 0;
		list.forEach((l, i) => {
			const next = list[i + 1], end = next && next.file === l.file ? next.line - 1 : Infinity;
			const begin = l.file === file ? Math.max(shown + 1, l.line - AROUND) : l.line - AROUND;
			if (l.file !== file)
				rows.push(l.file);
			else if (begin > shown + 1)
				rows.push("⋯");
			for (let line = Math.max(begin, 1); line <= Math.min(end, l.line + AROUND); line++) {
				const text = textOf(base, { file: l.file, line });
				if (line === l.line)
					rows.push({ ...l, text });
				else if (text !== undefined)
					rows.push({ line, text });
				shown = line;
			}
			file = l.file;
		});
		return rows;
	}

	/* order: column; undefined = a listing where there is text, else hottest first. */
	function table(base, name, order) {
		const all = base.info.lines || 1, list = (base.lines.get(name) || []).slice();
		const code = list.some(l => textOf(base, l) !== undefined), column = order ?? (code ? 0 : 1);
		const by = [null, "self", "total"][column], listed = code && !by;
		list.sort((a, b) => by ? b[by] - a[by] || a.line - b.line : byPlace(a, b));
		const hot = list.some(l => l.self) ? "self" : "total";
		const most = list.reduce((m, l) => Math.max(m, l[hot]), 0);
		const share = (row, what) => row[what] === undefined ? "" :
			flameText.percent(row[what], all);
		const rows = listed ? listing(base, list) : list.map(l => ({ ...l, text: textOf(base, l) }));
		return { heads: code ? ["line", "self", "total", "source of " + name] :
			["line of " + name, "self", "total"],
			sorted: column, ascending: listed, plain: true, code: code ? 3 : -1,
			note: "lines with samples: " + list.length + (base.info.parts ? "; of " +
				base.info.parts.events[base.info.parts.main].name + " in all threads" : ""),
			heat: code ? rows.map(row => (row[hot] || 0) / most) : null,
			rows: rows.map(row => typeof row === "string" ? row :
				[(listed ? "" : row.file + ":") + row.line, share(row, "self"),
					share(row, "total")].concat(code ? row.text ?? "" : [])) };
	}

	return { has, table };
})();
