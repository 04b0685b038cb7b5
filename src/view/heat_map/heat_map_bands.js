/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks as bands over time, in place of the cells of a heat map: the height of a band is how many
 * bytes its stack held. Weights are bytes times milliseconds, of equal parts of the time (see
 * profile/heap/heap_over_time.h). The stacks that held the most have a band each, the others one. */
const heatMapBands = (() => {
	const { make } = timelineBase, { AXIS } = timelineCanvas;
	const HEIGHT = 250, LEFT = 66, LEAST = 2; /* px; the last of a column */
	const FRAMES = 3; /* in a name */
	const COLORS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866",
		"#44bb99", "#997700"], OTHERS = "#aaaaaa";

	function bytes(value) {
		const units = ["B", "KiB", "MiB", "GiB", "TiB"];
		let unit = 0;
		for (; value >= 1024 && unit < units.length - 1; unit++)
			value /= 1024;
		return value.toLocaleString("en-US", { maximumSignificantDigits: 4 }) + " " + units[unit];
	}

	/* Innermost first, as in the tables; with the innermost function of an interpreted language. */
	function nameOf(tree, node) {
		const { name, kind } = tree.labels, names = [];
		let more = false, script = "";
		for (let at = node; at > 0; at = tree.parent[at]) {
			const label = tree.label[at], text = name[label] || "[unknown]";
			if (kind[label] === flameData.KIND.INTERPRETER && !script)
				script = text;
			more = more || names.length === FRAMES;
			if (names.length < FRAMES && text !== names[names.length - 1])
				names.push(text);
		}
		const rest = more ? script && !names.includes(script) ? " < … < " + script : " < …" : "";
		return names.join(" < ") + rest;
	}

	/* { of: band by node, names }; the last band is that of all others. */
	function find(samples, tree) {
		const sums = new Float64Array(tree.count), of = new Int32Array(tree.count);
		for (let i = 0; i < samples.count; i++)
			sums[samples.node[i]] += samples.weight ? samples.weight[i] : 1;
		const nodes = Array.from(sums.keys()).filter(i => sums[i] > 0)
			.sort((a, b) => sums[b] - sums[a] || a - b);
		const own = nodes.slice(0, COLORS.length), names = own.map(node => nameOf(tree, node));
		of.fill(own.length);
		own.forEach((node, band) => {
			of[node] = band;
		});
		if (nodes.length > own.length)
			names.push((nodes.length - own.length) + " others");
		return { of, names };
	}

	/* Seconds from one part of the time to the next. */
	function partOf(samples) {
		let part = Infinity;
		for (let i = 1; i < samples.count; i++)
			if (samples.time[i] - samples.time[i - 1] > 1e-4)
				part = Math.min(part, samples.time[i] - samples.time[i - 1]);
		return part < Infinity ? part : Math.max(samples.end, 0.02);
	}

	class Bands extends heatMapGrid.Grid {
		constructor(host, samples, on) {
			super(host, samples, on);
			this.bands = find(samples, on.tree);
			this.part = partOf(samples);
			this.canvas.setAttribute("aria-label", "live bytes by stack over time: arrow keys move, " +
				"Enter starts and ends a range, Shift+Enter ends a second range to compare with; " +
				"plus and minus zoom, 0 shows all time");
		}

		/* Columns are whole parts of the time: others would have now more of them, now fewer. */
		refill() {
			const most = this.width() / LEAST, asked = this.wanted.column / this.part;
			const seconds = this.grid ? (this.view.to - this.view.from) / 1e6 : this.samples.end;
			const parts = Math.max(1, Math.round(asked || seconds / this.part / most + 0.5));
			if (this.grid && parts * this.part === this.grid.column)
				return;
			this.grid = this.fill(parts * this.part);
			this.model.end = this.grid.columns * this.grid.column * 1e6;
			this.cursor = this.start = this.range = null;
		}

		fill(column) {
			const { samples, part } = this, { of, names } = this.bands, last = samples.end + part / 2;
			const columns = Math.floor(last / column) + 1, heat = new Float64Array(columns);
			const live = names.map(() => new Float64Array(columns));
			for (let i = 0; i < samples.count; i++) { /* times are the beginnings of parts */
				const x = Math.floor((samples.time[i] + part / 2) / column);
				const lasts = Math.min(column, samples.end + part - x * column) * 1000;
				const held = (samples.weight ? samples.weight[i] : 1) / lasts;
				live[of[samples.node[i]]][x] += held;
				heat[x] += held;
			}
			return { columns, rows: 1, column, heat, live, kind: "", height: HEIGHT,
				most: Math.max(...heat) || 1 };
		}

		/* No cell is of some part of a column. */
		show(from, to, what) {
			super.show(from, Math.max(to, from + this.part * 1e6), what);
		}

		left() {
			return LEFT;
		}

		paintCells() {
			const { live, most, height } = this.grid, [first, last] = this.sight();
			for (let x = first; x < last; x++) {
				let under = 0;
				const left = this.xOf(x), width = this.xOf(x + 1) - left;
				for (let band = 0; band < live.length; band++) {
					const high = live[band][x] / most * height;
					this.pen.fillStyle = COLORS[band] || OTHERS;
					this.pen.fillRect(left, AXIS + height - under - high, width + 0.5, high);
					under += high;
				}
			}
		}

		paintNames(ink, left) {
			const { most, height } = this.grid;
			this.pen.font = this.font();
			this.pen.fillStyle = ink.soft;
			this.pen.textAlign = "right";
			for (let i = 0; i <= 4; i++)
				this.pen.fillText(bytes(most * i / 4), left - 4, AXIS + 5 + (height - 10) * (1 - i / 4));
			this.pen.textAlign = "left";
		}

		describe(cell) {
			this.on.say(this.rangeOf(cell, cell).from.toFixed(2) + " s: " +
				bytes(this.grid.heat[cell]) + " live");
		}

		point(event) {
			const { live, most, height } = this.grid, cell = this.cellAt(event);
			let at = (AXIS + height - event.offsetY) / height * most;
			this.describe(cell);
			for (let band = 0; at >= 0 && band < live.length; band++) {
				if (at < live[band][cell])
					this.on.say(this.rangeOf(cell, cell).from.toFixed(2) + " s: " +
						bytes(live[band][cell]) + " of " + bytes(this.grid.heat[cell]) + ": " +
						this.bands.names[band]);
				at -= live[band][cell];
			}
		}

		legend() {
			return this.bands.names.map((name, band) => {
				const square = make("span", { class: "heat-square" });
				square.style.background = COLORS[band] || OTHERS;
				return make("span", { class: "hm-band" }, square, name);
			});
		}
	}

	return { Bands };
})();
