/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grid of a heat map, on the axis of timelines: a column of time, rows of its parts, heat by
 * weight. A range is drawn from one cell to another and is all the time between them, as it passes:
 * up each column, then on to the next. With lanes, rows are CPUs or threads, columns are short, and
 * a range is a rectangle. Drawing and picking only; what ranges mean is the page's. */
const heatMapGrid = (() => {
	const { make } = timelineBase, { AXIS } = timelineCanvas;
	const HEIGHT = 250, LEFT = 46, LANE = 14;
	const NAME_MAX = 200; /* px of the names of lanes */
	const LEAST = 3; /* px of a column; narrower ones are put together */
	const FINE = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2]; /* with lanes */
	const SIZES = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 3600]; /* of columns, seconds */

	/* Seconds, unless there are few of them, or more than fit in a window of so many columns. */
	function defaultColumn(seconds, most) {
		if (seconds < 10)
			return SIZES[0];
		return SIZES.find(s => s >= 1 && seconds / s <= most) || SIZES[SIZES.length - 1];
	}

	function defaultLaneColumn(seconds, most) {
		return FINE.concat(SIZES).find(s => seconds / s <= most) || SIZES[SIZES.length - 1];
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

	/* on: { pick(range, second), hover(text, heat), scaled(), zoomed(text, what) }; ranges are in the
	 * order of their outlines. */
	class Grid extends timelineBase.View {
		constructor(host, samples, on) {
			super(host, { end: samples.end * 1e6 });
			this.samples = samples;
			this.on = on;
			this.ranges = [null, null];
			this.wanted = { column: 0, rows: 50, kind: "" };
			this.cursor = this.start = this.range = null;
			this.canvas = make("canvas", { class: "tl-canvas hm-canvas", tabindex: "0",
				role: "application", "aria-label": "heat map: arrow keys move, Enter starts and ends " +
					"a range, Shift+Enter ends a second range to compare with; plus and minus zoom, " +
					"0 shows all time" });
			host.append(make("div", { class: "hm-scroll" }, this.canvas));
			this.pen = this.canvas.getContext("2d");
			this.listen(this.canvas);
		}

		/* column: in seconds, 0 = as the time in sight needs; kind: of lanes, "" = only rows. */
		layout(column, rows, kind) {
			this.wanted = { column, rows, kind };
			this.grid = null;
			this.refill();
			this.show(0, this.model.end);
		}

		/* The time in sight as text: "from,to" in seconds; "" is all of it. */
		time() {
			const { from, to } = this.view, seconds = us => +(us / 1e6).toFixed(6);
			return from > 0 || to < this.model.end ? seconds(from) + "," + seconds(to) : "";
		}

		showTime(text) {
			const [from, to] = text.split(",").map(seconds => Number(seconds) * 1e6);
			if (text === this.time())
				return;
			this.show(to > from ? from : 0, to > from ? to : this.model.end);
		}

		changed(what) {
			super.changed(what);
			this.on.zoomed(this.time(), what);
		}

		refill() {
			const { column, rows, kind } = this.wanted, most = this.width() / LEAST;
			const seconds = this.grid ? (this.view.to - this.view.from) / 1e6 : this.samples.end;
			const size = column || (kind ? defaultLaneColumn : defaultColumn)(seconds, most);
			if (this.grid && size === this.grid.column)
				return;
			this.grid = kind ? fillLanes(this.samples, size, kind) : fill(this.samples, size, rows);
			this.model.end = this.grid.columns * size * 1e6;
			this.cursor = this.start = this.range = null;
		}

		/* Not less than a column. */
		show(from, to, what) {
			const least = (this.wanted.column || (this.wanted.kind ? FINE : SIZES)[0]) * 1e6;
			const add = Math.max(0, least - (to - from)) / 2;
			super.show(from - add, to + add, what);
		}

		left() {
			return this.grid && this.grid.kind ? this.nameWidth() : LEFT;
		}

		nameWidth() {
			this.pen.font = this.font();
			return Math.min(Math.max(...this.grid.names.map(n => this.pen.measureText(n).width)) + 10,
				NAME_MAX, this.pageWidth() / 3);
		}

		font() {
			return "11px " + getComputedStyle(this.host).getPropertyValue("--sans");
		}

		xOf(column) {
			return this.x(column * this.grid.column * 1e6);
		}

		/* Rows as high as they share the height; the top one is the end of a column. */
		yOf(row) {
			return AXIS + this.grid.height - Math.round((row + 1) * this.grid.height / this.grid.rows);
		}

		draw() {
			if (!this.grid)
				return;
			this.refill();
			const width = this.pageWidth(), left = this.left(), ink = timelineCanvas.colors();
			this.pen = timelineCanvas.prepare(this.canvas, width, this.grid.height + AXIS);
			this.pen.fillStyle = heatScale.color(0);
			this.pen.fillRect(left, AXIS, width - left, this.grid.height);
			timelineCanvas.axis(this.pen, this.view, width, ink, left);
			this.pen.save();
			this.pen.beginPath();
			this.pen.rect(left, 0, width - left, this.grid.height + AXIS);
			this.pen.clip();
			this.paintCells();
			this.ranges.forEach((range, i) => range && this.outline(range,
				i ? "#1f77d0" : "#00a36c", i));
			if (this.range)
				this.outline(this.range, "#888", 0);
			if (this.cursor !== null)
				this.paintCursor(ink);
			this.pen.restore();
			this.paintNames(ink, left);
			this.on.scaled();
		}

		/* The columns in sight, [first, last). */
		sight() {
			const { column, columns } = this.grid, of = us => us / 1e6 / column;
			return [Math.max(0, Math.floor(of(this.view.from))),
				Math.min(columns, Math.ceil(of(this.view.to)))];
		}

		/* Of columns that share their pixels the hottest is seen. */
		paintCells() {
			const { rows, heat, most, kind } = this.grid, [first, last] = this.sight();
			const by = Math.max(1, Math.ceil((LEAST - 1) / this.cell()));
			for (let x = first - first % by; x < last; x += by)
				for (let y = 0; y < rows; y++) {
					let hottest = 0;
					for (let k = x; k < Math.min(x + by, this.grid.columns); k++)
						hottest = Math.max(hottest, heat[k * rows + y]);
					if (!hottest)
						continue;
					const left = Math.round(this.xOf(x)), top = this.yOf(y);
					this.pen.fillStyle = heatScale.color(hottest / most);
					this.pen.fillRect(left, top, Math.round(this.xOf(x + by)) - left,
						this.yOf(y - 1) - top - (kind ? 1 : 0));
				}
		}

		paintNames(ink, left) {
			const { kind, column, height, rows, names } = this.grid;
			this.pen.fillStyle = ink.soft;
			this.pen.font = this.font();
			this.pen.textAlign = "right";
			for (let i = 0; !kind && i <= 5; i++)
				this.pen.fillText(timelineCanvas.time(column * i / 5 * 1e6, column * 1e6), left - 4,
					AXIS + 5 + (height - 10) * (1 - i / 5));
			for (let i = 0; kind && i < rows; i++)
				this.pen.fillText(timelineCanvas.fit(this.pen, names[i], left - 8), left - 4,
					(this.yOf(rows - 1 - i) + this.yOf(rows - 2 - i)) / 2);
			this.pen.textAlign = "left";
		}

		/* The time of a range is a band of columns; the first and the last may be cut. */
		outline(range, color, second) {
			const { column, height, kind, columns } = this.grid;
			const from = range.from / column, to = range.to / column;
			if (kind) {
				this.outlineLanes(range, color, second);
				return;
			}
			const first = Math.floor(from), last = Math.min(Math.ceil(to), columns) - 1;
			const y = part => AXIS + height * (1 - part);
			this.pen.beginPath();
			for (let x = first; x <= last; x++) {
				const top = y(Math.min(to - x, 1));
				this.pen.lineTo(this.xOf(x), top);
				this.pen.lineTo(this.xOf(x + 1), top);
			}
			for (let x = last; x >= first; x--) {
				const bottom = y(Math.max(from - x, 0));
				this.pen.lineTo(this.xOf(x + 1), bottom);
				this.pen.lineTo(this.xOf(x), bottom);
			}
			this.pen.closePath();
			this.paintOutline(color, second, this.xOf(first), AXIS);
		}

		outlineLanes(range, color, second) {
			const { rows, column, columns, kind } = this.grid;
			const own = range.lanes && range.lanes.kind === kind ? range.lanes :
				{ first: 0, last: rows - 1 };
			const top = this.yOf(rows - 1 - own.first), bottom = this.yOf(rows - 2 - own.last);
			const left = this.x(range.from * 1e6);
			const right = this.x(Math.min(range.to, columns * column) * 1e6);
			this.pen.beginPath();
			this.pen.rect(left, top, right - left, bottom - top);
			this.paintOutline(color, second, left, top);
		}

		/* The path, with the range's name at its corner. */
		paintOutline(color, second, x, y) {
			const { pen } = this;
			pen.fillStyle = color + "40";
			pen.fill();
			pen.strokeStyle = color;
			pen.lineWidth = 2;
			pen.stroke();
			pen.fillStyle = color;
			pen.fillRect(x, y, 14, 14);
			pen.font = "bold 11px sans-serif";
			pen.fillStyle = "#fff";
			pen.textAlign = "center";
			pen.fillText(second ? "B" : "A", x + 7, y + 7);
		}

		paintCursor(ink) {
			const x = Math.floor(this.cursor / this.grid.rows), y = this.cursor % this.grid.rows;
			this.pen.strokeStyle = ink.ink;
			this.pen.lineWidth = 2;
			this.pen.strokeRect(this.xOf(x), this.yOf(y), this.cell(), this.yOf(y - 1) - this.yOf(y));
		}

		cellAt(event) {
			const { column, rows, height, columns } = this.grid;
			const x = Math.floor(this.at(event) / 1e6 / column);
			const y = Math.floor((AXIS + height - event.offsetY) / height * rows);
			return Math.max(0, Math.min(x, columns - 1)) * rows + Math.max(0, Math.min(y, rows - 1));
		}

		rangeOf(a, b) {
			if (this.grid.kind)
				return this.rectangle(a, b);
			const cell = this.grid.column / this.grid.rows, [first, last] = a < b ? [a, b] : [b, a];
			return { from: first * cell, to: (last + 1) * cell };
		}

		/* A range of all lanes needs no mention of lanes. */
		rectangle(a, b) {
			const { rows, column, kind } = this.grid, x = [a, b].map(cell => Math.floor(cell / rows));
			const lane = [a, b].map(cell => rows - 1 - cell % rows);
			const first = Math.min(...lane), last = Math.max(...lane);
			return { from: Math.min(...x) * column, to: (Math.max(...x) + 1) * column,
				lanes: first || last < rows - 1 ? { kind, first, last } : null };
		}

		describe(cell) {
			const { kind, column, rows, names, heat } = this.grid;
			const { from } = this.rangeOf(cell, cell), size = column / (kind ? 1 : rows);
			this.on.hover((kind ? names[rows - 1 - cell % rows] + ", " : "") + from.toFixed(3) + " s, " +
				+(size * 1000).toFixed(2) + " ms: ", heat[cell]);
		}

		point(event) {
			this.describe(this.cellAt(event));
		}

		dragging(event) {
			this.from = this.from === undefined ? this.cellAt({ offsetX: this.drag.x,
				offsetY: this.drag.y }) : this.from;
			this.range = this.rangeOf(this.from, this.cellAt(event));
			this.draw();
		}

		dragged(drag, event) {
			const from = this.cellAt({ offsetX: drag.x, offsetY: drag.y });
			this.from = undefined;
			this.range = null;
			this.canvas.focus({ preventScroll: true });
			this.on.pick(this.rangeOf(from, this.cellAt(event)), event.shiftKey);
		}

		/* The cursor goes from cell to cell; the other keys are those of all timelines. */
		key(event) {
			const { rows, heat, column } = this.grid;
			const steps = { ArrowUp: 1, ArrowDown: -1, ArrowLeft: -rows, ArrowRight: rows };
			if (event.key in steps) {
				const next = this.cursor === null ? 0 : this.cursor + steps[event.key];
				this.cursor = next >= 0 && next < heat.length ? next : this.cursor;
				this.describe(this.cursor);
				this.range = this.start === null ? null : this.rangeOf(this.start, this.cursor);
				this.follow(Math.floor(this.cursor / rows) * column * 1e6);
			} else if (event.key === "Enter" && this.cursor !== null) {
				const from = this.start;
				this.start = from === null ? this.cursor : null;
				this.range = null;
				if (from !== null)
					this.on.pick(this.rangeOf(from, this.cursor), event.shiftKey);
			} else {
				super.key(event);
				return;
			}
			event.preventDefault();
			event.stopPropagation();
			this.draw();
		}

		/* The column of the cursor stays in sight. */
		follow(us) {
			const { from, to } = this.view, column = this.grid.column * 1e6;
			if (us < from)
				this.show(us, us + to - from, "steps");
			else if (us + column > to)
				this.show(us + column - (to - from), us + column, "steps");
		}

		setRanges(ranges) {
			this.ranges = ranges;
			this.draw();
		}

		/* Weight of the hottest cell. */
		most() {
			return this.grid.most;
		}

		/* px of a column. */
		cell() {
			return this.grid.column * 1e6 / (this.view.to - this.view.from) * this.width();
		}

		names() {
			return this.grid.names || [];
		}
	}

	return { Grid, SIZES, FINE };
})();
