/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines at the top of the document of flame_graph.c: those that are wider than the window go on
 * in a further line. */
const flameSvgLines = (() => {
	const MARGIN = 10;

	/* Words of a text in lines of some width. */
	function wrap(pen, text, width) {
		const lines = [];
		for (const word of text.split(" ")) {
			const longer = lines.length ? lines[lines.length - 1] + " " + word : word;
			if (lines.length && pen.measureText(longer).width <= width)
				lines[lines.length - 1] = longer;
			else
				lines.push(word);
		}
		return lines;
	}

	/* elements: texts in order from the top. fold(width) returns the px that they need more than
	 * they came with. */
	function create(elements) {
		const pen = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas")
			.getContext("2d");
		const came = elements.map(element => {
			const parts = Array.from(element.children).filter(part => part.tagName === "tspan");
			return { element, y: Number(element.getAttribute("y")), rows: parts.length ?
				parts.map(part => ({ text: part.textContent, dy: Number(part.getAttribute("dy")) })) :
				[{ text: element.textContent, dy: 0 }] };
		});

		function fold(width) {
			let added = 0;
			for (const { element, y, rows } of came) {
				const style = getComputedStyle(element), step = parseFloat(style.fontSize) * 1.4;
				pen.font = style.fontWeight + " " + style.fontSize + " " + style.fontFamily;
				element.setAttribute("y", y + added);
				const lines = rows.flatMap(row => wrap(pen, row.text, width - 2 * MARGIN).map(
					(text, i) => ({ text, dy: i ? step : row.dy })));
				added += (lines.length - rows.length) * step;
				if (lines.length === 1 && !lines[0].dy) {
					element.textContent = lines[0].text;
					continue;
				}
				element.replaceChildren(...lines.map(line => {
					const part = flameSvg.make("tspan", { x: "50%", dy: line.dy });
					part.textContent = line.text;
					return part;
				}));
			}
			return added;
		}

		return { fold, set(id, text) {
			const line = came.find(line => line.element.id === id);
			if (line)
				line.rows = [{ text, dy: 0 }];
		} };
	}

	return { create };
})();
