/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grid of a heat map: a column of time, rows of its parts, heat by weight. A range is drawn from
 * one cell to another and is all the time between them, as it passes: up each column, then on to
 * the next. With lanes, rows are CPUs or threads, columns are short, and a range is a rectangle.
 * Drawing and picking only; what ranges mean is the page's. */
const heatMapGrid = (() => {
	const { make } = flameChrome;
	const HEIGHT = 250, AXIS = 18, LEFT = 46, LANE = 14;
	const NAME_MAX = 200; /* px of the names of lanes */
	const FINE = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2]; /* with lanes */
	const SIZES = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 3600]; /* of columns, seconds */

	/* Seconds, unless there are few of them, or more than fit in a window. */
	function defaultColumn(seconds) {
		if (seconds < 10)
			return SIZES[0];
		return SIZES.find(s => s >= 1 && seconds / s <= 400) || SIZES[SIZES.length - 1];
	}

	/* Some hundred columns. */
	function defaultLaneColumn(seconds) {
		return FINE.concat(SIZES).find(s => seconds / s <= 360) || SIZES[SIZES.length - 1];
	}

	/* The first lane is the top one. */
	function fillLanes(samples, column, kind) {
		const { names, of } = samples.lanes[kind], rows = names.length;
		const columns = Math.floor(samples.end / column) + 1;
		const heat = new Float64Array(columns * rows);
		for (let i = 0; i < samples.count; i++)
			heat[Math.floor(samples.time[i] / column) * rows + rows - 1 - of[i]] +=
				samples.weight ? samples.weight[i] : 1;
		return { columns, rows, column, heat, most: mostOf(heat), kind, names,
			height: Math.max(rows * LANE, 4 * LANE) };
	}

	function fill(samples, column, rows) {
		const columns = Math.floor(samples.end / column) + 1;
		const heat = new Float64Array(columns * rows);
		for (let i = 0; i < samples.count; i++) {
			const x = Math.floor(samples.time[i] / column);
			const y = Math.min(Math.floor((samples.time[i] - x * column) / column * rows), rows - 1);
			heat[x * rows + y] += samples.weight ? samples.weight[i] : 1;
		}
		return { columns, rows, column, heat, most: mostOf(heat), kind: "", height: HEIGHT };
	}

	/* Full heat: 99.9 % of the cells are below, so that one does not hide the others. */
	function mostOf(heat) {
		const hot = heat.filter(v => v > 0).sort();
		return hot.length ? hot[Math.min(Math.floor(hot.length * 0.999), hot.length - 1)] : 1;
	}

	/* on: { pick(range, second), hover(text) }; names of ranges in the order of their outlines. */
	function create(host, samples, on) {
		const canvas = make("canvas", { class: "hm-canvas", tabindex: "0", role: "application",
			"aria-label": "heat map: arrow keys move, Enter starts and ends a range, " +
				"Shift+Enter ends a second range to compare with" });
		const scroll = host.appendChild(make("div", { class: "hm-scroll" }, canvas));
		const context = canvas.getContext("2d"), dark = matchMedia("(prefers-color-scheme: dark)");
		let grid = null, ranges = [null, null], cellX = 0, cursor = null, start = null, drag = null;
		let left = LEFT;

		/* kind: of lanes; "" = none, only rows. */
		function layout(column, rows, kind) {
			grid = kind ? fillLanes(samples, column, kind) : fill(samples, column, rows);
			left = kind ? nameWidth() : LEFT;
			cursor = start = drag = null;
			cellX = Math.max(3, Math.min(24, Math.floor((host.clientWidth - left - 8) / grid.columns)));
			const ratio = window.devicePixelRatio || 1, width = left + grid.columns * cellX + 8;
			canvas.width = width * ratio;
			canvas.height = (grid.height + AXIS) * ratio;
			canvas.style.width = width + "px";
			canvas.style.height = grid.height + AXIS + "px";
			context.setTransform(ratio, 0, 0, ratio, 0, 0);
			paint();
		}

		function nameWidth() {
			context.font = fontOf(getComputedStyle(host));
			return Math.min(Math.max(...grid.names.map(n => context.measureText(n).width)) + 10,
				NAME_MAX);
		}

		function fontOf(style) {
			return "11px " + style.getPropertyValue("--sans");
		}

		/* Rows as high as they share the height; the top one is the end of a column. */
		function yOf(row) {
			return grid.height - Math.round((row + 1) * grid.height / grid.rows);
		}

		function paint() {
			const style = getComputedStyle(host);
			context.clearRect(0, 0, canvas.width, canvas.height);
			for (let x = 0; x < grid.columns; x++)
				for (let y = 0; y < grid.rows; y++) {
					const heat = grid.heat[x * grid.rows + y];
					context.fillStyle = heatScale.color(heat / grid.most);
					const top = yOf(y);
					context.fillRect(left + x * cellX, top, cellX, yOf(y - 1) - top -
						(grid.kind ? 1 : 0));
				}
			paintAxes(style);
			ranges.forEach((range, i) => range && outline(range, i ? "#1f77d0" : "#00a36c", i));
			if (drag)
				outline(drag, "#888", 0);
			if (cursor !== null)
				paintCursor(style);
		}

		function paintAxes(style) {
			context.fillStyle = style.getPropertyValue("--soft");
			context.font = fontOf(style);
			context.textAlign = "right";
			for (let i = 0; !grid.kind && i <= 5; i++)
				context.fillText(timeText(grid.column * i / 5), left - 4,
					grid.height - (grid.height - 10) * i / 5);
			for (let i = 0; grid.kind && i < grid.rows; i++)
				context.fillText(grid.names[i], left - 4, yOf(grid.rows - 2 - i) - 4, left - 8);
			const step = Math.max(1, Math.ceil(60 / cellX));
			context.textAlign = "left";
			for (let x = 0; x < grid.columns; x += step)
				context.fillText(timeText(x * grid.column), left + x * cellX, grid.height + 13);
		}

		function timeText(seconds) {
			return seconds && grid.column <= 1 && seconds < 1 ? Math.round(seconds * 1000) + " ms" :
				+seconds.toFixed(1) + " s";
		}

		/* The time of a range is a band of columns; the first and the last may be cut. */
		function outline(range, color, second) {
			const from = range.from / grid.column, to = range.to / grid.column;
			if (grid.kind) {
				outlineLanes(range, { from, to }, color, second);
				return;
			}
			const first = Math.floor(from), last = Math.min(Math.ceil(to), grid.columns) - 1;
			const xOf = x => left + x * cellX, y = part => grid.height * (1 - part);
			context.beginPath();
			for (let x = first; x <= last; x++) {
				const top = y(Math.min(to - x, 1));
				context.lineTo(xOf(x), top);
				context.lineTo(xOf(x + 1), top);
			}
			for (let x = last; x >= first; x--) {
				const bottom = y(Math.max(from - x, 0));
				context.lineTo(xOf(x + 1), bottom);
				context.lineTo(xOf(x), bottom);
			}
			context.closePath();
			paintOutline(color, second, xOf(first), 0);
		}

		function outlineLanes(range, { from, to }, color, second) {
			const own = range.lanes && range.lanes.kind === grid.kind ? range.lanes :
				{ first: 0, last: grid.rows - 1 };
			const top = yOf(grid.rows - 1 - own.first), bottom = yOf(grid.rows - 2 - own.last);
			const end = Math.min(to, grid.columns);
			context.beginPath();
			context.rect(left + from * cellX, top, (end - from) * cellX, bottom - top);
			paintOutline(color, second, left + from * cellX, top);
		}

		/* The path, with the range's name at its corner. */
		function paintOutline(color, second, x, y) {
			context.fillStyle = color + "40";
			context.fill();
			context.strokeStyle = color;
			context.lineWidth = 2;
			context.stroke();
			context.fillStyle = color;
			context.fillRect(x, y, 14, 14);
			context.font = "bold 11px sans-serif";
			context.fillStyle = "#fff";
			context.textAlign = "center";
			context.fillText(second ? "B" : "A", x + 7, y + 11);
		}

		function paintCursor(style) {
			const x = Math.floor(cursor / grid.rows), y = cursor % grid.rows;
			context.strokeStyle = style.getPropertyValue("--ink");
			context.lineWidth = 2;
			context.strokeRect(left + x * cellX, yOf(y), cellX, yOf(y - 1) - yOf(y));
		}

		function cellAt(event) {
			const place = canvas.getBoundingClientRect();
			const x = Math.floor((event.clientX - place.left - left) / cellX);
			const y = Math.floor((place.top + grid.height - event.clientY) / grid.height *
				grid.rows);
			return Math.max(0, Math.min(x, grid.columns - 1)) * grid.rows +
				Math.max(0, Math.min(y, grid.rows - 1));
		}

		function rangeOf(a, b) {
			if (grid.kind)
				return rectangle(a, b);
			const cell = grid.column / grid.rows, [first, last] = a < b ? [a, b] : [b, a];
			return { from: first * cell, to: (last + 1) * cell };
		}

		/* A range of all lanes needs no mention of lanes. */
		function rectangle(a, b) {
			const x = [a, b].map(cell => Math.floor(cell / grid.rows));
			const lane = [a, b].map(cell => grid.rows - 1 - cell % grid.rows);
			const first = Math.min(...lane), last = Math.max(...lane);
			return { from: Math.min(...x) * grid.column, to: (Math.max(...x) + 1) * grid.column,
				lanes: first || last < grid.rows - 1 ? { kind: grid.kind, first, last } : null };
		}

		function tell(cell) {
			const { from } = rangeOf(cell, cell), size = grid.column / (grid.kind ? 1 : grid.rows);
			on.hover((grid.kind ? grid.names[grid.rows - 1 - cell % grid.rows] + ", " : "") +
				from.toFixed(3) + " s, " + +(size * 1000).toFixed(2) + " ms: ", grid.heat[cell]);
		}

		canvas.addEventListener("mousedown", event => {
			if (event.button)
				return;
			start = cellAt(event);
			canvas.focus({ preventScroll: true });
			event.preventDefault();
		});
		canvas.addEventListener("mousemove", event => {
			const cell = cellAt(event);
			tell(cell);
			if (start === null || !(event.buttons & 1))
				return;
			drag = rangeOf(start, cell);
			paint();
		});
		window.addEventListener("mouseup", event => {
			if (start === null || event.button)
				return;
			const from = start;
			start = drag = null;
			on.pick(rangeOf(from, cellAt(event)), event.shiftKey);
		});
		canvas.addEventListener("keydown", event => {
			const steps = { ArrowUp: 1, ArrowDown: -1, ArrowLeft: -grid.rows, ArrowRight: grid.rows };
			if (event.key in steps) {
				const next = cursor === null ? 0 : cursor + steps[event.key];
				cursor = next >= 0 && next < grid.heat.length ? next : cursor;
				tell(cursor);
				drag = start === null ? null : rangeOf(start, cursor);
			} else if (event.key === "Enter" && cursor !== null) {
				const from = start;
				start = from === null ? cursor : null;
				drag = null;
				if (from !== null)
					on.pick(rangeOf(from, cursor), event.shiftKey);
			} else {
				return;
			}
			event.preventDefault();
			event.stopPropagation();
			paint();
		});
		dark.addEventListener("change", () => grid && paint());
		return {
			layout,
			show(next) {
				ranges = next;
				if (grid)
					paint();
			},
			scroll,
			most: () => grid.most, /* weight of the hottest cell */
			/* For tests: where cells are. */
			left: () => left,
			cell: () => cellX,
			names: () => grid.names || [],
		};
	}

	return { create, defaultColumn, defaultLaneColumn, SIZES, FINE };
})();
