/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing a timeline: lanes as stacked columns of what was done in each, the axis, and the lines of
 * machine's context on the same time. */
const timelineCanvas = (() => {
	const ROW = 26, GAP = 4, AXIS = 24, LINE = 30, NAME = 210;
	const PAPER_ROWS = 540, PAPER_ROW = 7; /* px: of all rows on a page, if each has as much */

	function isPaper() {
		return document.documentElement.classList.contains("paper");
	}

	/* Rows of a page of paper share its height. */
	function rowSize(rows) {
		const space = isPaper() ? Math.max(PAPER_ROW, Math.min(ROW + GAP, PAPER_ROWS / rows)) :
			ROW + GAP, gap = space < 16 ? 1 : GAP;
		return { row: space - gap, gap };
	}

	/* px of the names: on a phone a third. */
	function left(width) {
		return Math.min(NAME, Math.round(width / 3));
	}

	function colors() {
		const style = getComputedStyle(document.documentElement);
		const of = name => style.getPropertyValue(name).trim();
		return { paper: of("--paper"), ink: of("--ink"), soft: of("--soft"), line: of("--line") };
	}

	/* Paper has more dots than a screen. */
	function prepare(canvas, width, height) {
		const ratio = isPaper() ? 3 : window.devicePixelRatio || 1;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
		const draw = canvas.getContext("2d");
		draw.scale(ratio, ratio);
		draw.textBaseline = "middle";
		return draw;
	}

	function fit(draw, text, width) {
		if (draw.measureText(text).width <= width)
			return text;
		while (text.length > 1 && draw.measureText(text + "…").width > width)
			text = text.slice(0, -1);
		return text + "…";
	}

	function time(us, span) {
		if (span >= 2e6)
			return (us / 1e6).toFixed(span >= 2e7 ? 0 : 1) + " s";
		if (span >= 2e3)
			return (us / 1e3).toFixed(span >= 2e4 ? 0 : 1) + " ms";
		return us.toFixed(span >= 20 ? 0 : 1) + " us";
	}

	function length(us) {
		return us >= 1e6 ? (us / 1e6).toFixed(3) + " s" : us >= 1e3 ? (us / 1e3).toFixed(3) + " ms" :
			us.toFixed(us < 10 ? 2 : 1) + " us";
	}

	/* From x = start to the width. */
	function axis(draw, view, width, ink, start) {
		const span = view.to - view.from, room = Math.max(1, Math.floor((width - start) / 90));
		let step = Math.pow(10, Math.floor(Math.log10(span / room)));
		for (const factor of [1, 2, 5, 10])
			if (span / (step * factor) <= room) {
				step *= factor;
				break;
			}
		draw.font = "11px system-ui, sans-serif";
		draw.textAlign = "left";
		for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
			const x = start + (at - view.from) / span * (width - start);
			draw.fillStyle = ink.line;
			draw.fillRect(Math.round(x), 0, 1, draw.canvas.height);
			draw.fillStyle = ink.soft;
			draw.fillText(time(at, span), x + 3, AXIS / 2);
		}
	}

	/* A column's height is the share of the lifetime of all its threads; hidden kinds stay
	 * empty. */
	function lane(draw, model, item, view, box) {
		const kinds = model.kinds.length, count = Math.max(1, Math.floor(box.width));
		const columns = timelineData.columns(item, view.from, view.to, count, kinds);
		const whole = (view.to - view.from) / count * item.members;
		const paints = model.kinds.map(kind => stateTexture.paint(draw, kind));
		for (let c = 0; c < count; c++) {
			let y = box.y + box.height;
			for (let k = 0; k < kinds; k++) {
				const amount = columns[c * kinds + k];
				if (!amount || view.hidden.has(k))
					continue;
				const height = Math.min(y - box.y, amount / whole * box.height);
				draw.fillStyle = paints[k];
				draw.fillRect(box.x + c, y - height, 1, height);
				y -= height;
			}
		}
	}

	function lanes(canvas, model, list, view, width) {
		const ink = colors(), start = left(width), { row, gap } = rowSize(list.length);
		const draw = prepare(canvas, width, AXIS + list.length * (row + gap));
		axis(draw, view, width, ink, start);
		list.forEach((item, i) => {
			const y = AXIS + i * (row + gap);
			draw.fillStyle = ink.ink;
			draw.font = Math.min(12, row) + "px system-ui, sans-serif";
			draw.textAlign = "left";
			draw.fillText(fit(draw, item.name, start - 16), 8, y + row / 2);
			lane(draw, model, item, view, { x: start, y, width: width - start, height: row });
			draw.fillStyle = ink.line;
			draw.fillRect(start, y + row, width - start, 1);
		});
	}

	function value(row, number) {
		const step = row.unit.startsWith("bytes") ? 1024 : 1000;
		const suffix = { percent: " %", per_s: "/s", tasks: "", bytes: "B", bytes_per_s: "B/s",
			ms: " ms" }[row.unit];
		let i = 0;
		while (step && number >= step && i < 4 && row.unit !== "percent") {
			number /= step;
			i++;
		}
		return number.toFixed(number < 10 ? 1 : 0) + ["", " K", " M", " G", " T"][i] + suffix;
	}

	function line(draw, context, row, view, box, ink) {
		const span = view.to - view.from;
		const top = row.unit === "percent" ? Math.max(100, row.max) : row.max;
		draw.fillStyle = "#5b8def88";
		context.times.forEach(([start, end], i) => {
			const from = Math.max(start, view.from), to = Math.min(end, view.to);
			if (row.values[i] === null || to <= from)
				return;
			const height = row.values[i] / top * (LINE - 6);
			draw.fillRect(box.x + (from - view.from) / span * box.width,
				box.y + LINE - 2 - height, (to - from) / span * box.width, height);
		});
		draw.font = "11px system-ui, sans-serif";
		draw.textAlign = "left";
		draw.fillStyle = ink.ink;
		const name = row.group + ": " + row.name;
		draw.fillText(fit(draw, name, box.x - 16), 8, box.y + LINE / 2 - 5);
		draw.fillStyle = ink.soft;
		draw.fillText("max " + value(row, row.max), 8, box.y + LINE / 2 + 8);
		draw.fillStyle = ink.line;
		draw.fillRect(box.x, box.y + LINE - 2, box.width, 1);
	}

	function context(canvas, data, rows, view, width) {
		const ink = colors(), draw = prepare(canvas, width, rows.length * LINE + 2);
		const start = left(width);
		rows.forEach((row, i) => line(draw, data, row, view,
			{ x: start, y: i * LINE, width: width - start }, ink));
	}

	return { colors, prepare, axis, fit, lanes, context, time, length, value, ROW, GAP, AXIS, LINE, left };
})();
