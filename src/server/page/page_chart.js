/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amounts over time as stacked columns, by value of a label, on a canvas. Dragging selects a range,
 * with Shift the one to compare it with. Without a pointer: arrow keys move a range, with Ctrl its
 * end, Shift+arrows the other one; Escape removes it. */
const pageChart = (() => {
	const { make } = pageText;
	const COLORS = ["#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d",
		"#eeca3b", "#2f6f9f", "#d67195"], OTHERS = "#9a9a9a";
	const AXIS = 52, BELOW = 20, ABOVE = 8;
	const SIDES = [["a", "#00a36c"], ["b", "#1f77d0"]];

	const colorOf = (line, i) => line.others ? OTHERS : COLORS[i % COLORS.length];

	/* Round numbers, four at most. */
	function ticks(most) {
		const raw = most / 3, power = Math.pow(10, Math.floor(Math.log10(raw || 1)));
		const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= raw) || power;
		const list = [];
		for (let value = 0; value <= most * 1.0001 && list.length < 6; value += step)
			list.push(value);
		return list;
	}

	const TIME_STEPS = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400,
		172800, 604800, 2592000].map(s => s * 1e9);

	/* on: { pick(side, range or null), hover(text) } */
	class Chart {
		constructor(host, on) {
			this.on = on;
			this.canvas = make("canvas", { class: "sp-canvas", tabindex: "0", role: "application",
				"aria-label": "amount over time; arrow keys move the selected range" });
			host.append(this.canvas);
			this.data = null;
			this.ranges = { a: null, b: null };
			this.drag = null;
			this.lit = -1;
			this.canvas.addEventListener("pointerdown", event => this.press(event));
			this.canvas.addEventListener("pointermove", event => this.move(event));
			this.canvas.addEventListener("pointerup", event => this.release(event));
			this.canvas.addEventListener("pointerleave", () => this.on.hover(""));
			this.canvas.addEventListener("keydown", event => this.key(event));
			new ResizeObserver(() => this.draw()).observe(this.canvas);
		}

		show(data, event) {
			this.data = data;
			this.event = event;
			this.sums = new Float64Array(data.columns);
			for (const line of data.lines)
				line.weights.forEach((weight, i) => { this.sums[i] += weight; });
			this.draw();
		}

		setRanges(ranges) {
			this.ranges = ranges;
			this.draw();
		}

		light(index) {
			this.lit = index;
			this.draw();
		}

		get end() {
			return this.data.from_ns + this.data.columns * this.data.step_ns;
		}

		x(ns) {
			const width = this.canvas.clientWidth - AXIS;
			return AXIS + width * (ns - this.data.from_ns) / (this.end - this.data.from_ns);
		}

		/* The column at a place, within the chart. */
		column(event) {
			const width = this.canvas.clientWidth - AXIS;
			const part = (event.offsetX - AXIS) / width;
			return Math.min(Math.max(Math.floor(part * this.data.columns), 0), this.data.columns - 1);
		}

		range(first, last) {
			const { from_ns: from, step_ns: step } = this.data;
			return { from: from + Math.min(first, last) * step,
				to: from + (Math.max(first, last) + 1) * step };
		}

		press(event) {
			if (!this.data || event.button)
				return;
			this.canvas.setPointerCapture(event.pointerId);
			this.drag = { side: event.shiftKey ? "b" : "a", from: this.column(event), x: event.offsetX,
				moved: false };
		}

		move(event) {
			if (!this.data)
				return;
			const at = this.column(event);
			if (this.drag) {
				this.drag.moved = this.drag.moved || Math.abs(event.offsetX - this.drag.x) > 3;
				if (this.drag.moved) {
					this.ranges = Object.assign({}, this.ranges,
						{ [this.drag.side]: this.range(this.drag.from, at) });
					this.draw();
				}
			}
			const { from_ns: from, step_ns: step, unit } = this.data;
			this.on.hover(pageText.moment(from + at * step) + " · " +
				pageText.rate(this.sums[at], step, unit, this.event));
		}

		/* A click without a drag takes the selection away. */
		release(event) {
			const drag = this.drag;
			this.drag = null;
			if (!drag)
				return;
			this.on.pick(drag.side, drag.moved ? this.range(drag.from, this.column(event)) : null);
		}

		key(event) {
			const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
			const side = event.shiftKey ? "b" : "a";
			if (event.key === "Escape") {
				this.on.pick(side, null);
			} else if (move && this.data) {
				const { from_ns: from, step_ns: step, columns } = this.data;
				const now = this.ranges[side] || this.range(columns - 1, columns - 1);
				const fits = ns => Math.min(Math.max(ns, from), this.end);
				const next = event.ctrlKey ? { from: now.from, to: fits(now.to + move * step) } :
					{ from: fits(now.from + move * step), to: fits(now.to + move * step) };
				if (next.to > next.from)
					this.on.pick(side, next);
			} else {
				return;
			}
			event.preventDefault();
		}

		draw() {
			const { canvas, data } = this, ratio = window.devicePixelRatio || 1;
			const width = canvas.clientWidth, height = canvas.clientHeight;
			if (!width || !height)
				return;
			canvas.width = width * ratio;
			canvas.height = height * ratio;
			const g = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
			const look = name => style.getPropertyValue(name).trim();
			g.scale(ratio, ratio);
			g.font = "11px " + look("--sans");
			if (!data)
				return;
			const most = Math.max(...this.sums, 1e-9);
			this.grid(g, look, most, width, height);
			this.columns(g, most, width, height);
			this.selections(g, height);
		}

		grid(g, look, most, width, height) {
			const { unit, step_ns: step, from_ns: from } = this.data;
			const y = value => height - BELOW - (height - BELOW - ABOVE) * value / most;
			const perRate = unit === "ns" ? step : step / 1e9;
			g.strokeStyle = look("--line");
			g.fillStyle = look("--soft");
			g.textAlign = "right";
			for (const value of ticks(most / perRate)) {
				const at = Math.round(y(value * perRate)) + 0.5;
				g.globalAlpha = 0.5;
				g.beginPath();
				g.moveTo(AXIS, at);
				g.lineTo(width, at);
				g.stroke();
				g.globalAlpha = 1;
				g.fillText(unit === "ns" ? String(+value.toPrecision(3)) : pageText.short(value),
					AXIS - 6, at + 4);
			}
			const every = TIME_STEPS.find(s => (this.end - from) / s <= width / 90) ||
				TIME_STEPS[TIME_STEPS.length - 1];
			const zone = new Date(from / 1e6).getTimezoneOffset() * 60e9;
			g.textAlign = "center";
			for (let at = Math.ceil((from - zone) / every) * every + zone; at < this.end; at += every)
				g.fillText(every >= 86400e9 ? pageText.day(at) : pageText.time(at, every < 60e9),
					this.x(at), height - 5);
		}

		columns(g, most, width, height) {
			const { columns, lines } = this.data, room = (width - AXIS) / columns;
			const scale = (height - BELOW - ABOVE) / most;
			for (let c = 0; c < columns; c++) {
				const left = AXIS + c * room, wide = Math.max(room - (room > 4 ? 1 : 0), 0.5);
				let y = height - BELOW;
				lines.forEach((line, i) => {
					const tall = line.weights[c] * scale;
					if (!tall)
						return;
					g.globalAlpha = this.lit < 0 || this.lit === i ? 1 : 0.2;
					g.fillStyle = colorOf(line, i);
					g.fillRect(left, y - tall, wide, Math.max(tall, 0.5));
					y -= tall;
				});
			}
			g.globalAlpha = 1;
		}

		selections(g, height) {
			for (const [side, color] of SIDES) {
				const range = this.ranges[side];
				if (!range)
					continue;
				const left = Math.max(this.x(range.from), AXIS), right = this.x(range.to);
				g.fillStyle = color;
				g.globalAlpha = 0.18;
				g.fillRect(left, 0, right - left, height - BELOW);
				g.globalAlpha = 1;
				g.fillRect(left, 0, 2, height - BELOW);
				g.fillRect(right - 2, 0, 2, height - BELOW);
				g.fillRect(left, 0, 14, 14);
				g.fillStyle = "#fff";
				g.textAlign = "center";
				g.fillText(side.toUpperCase(), left + 7, 11);
			}
		}
	}

	return { Chart, colorOf };
})();
