/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of latency_map_page.c: lengths over time as a heat map on the axis of timelines. Colours
 * are by the logarithm of counts: the few long ones are seen beside the many short ones. */
const latencyMap = (() => {
	const { make } = timelineBase, { AXIS } = timelineCanvas;
	const ROW = 22, LEAST = 2; /* px of a row; of a column, narrower ones are put together */

	const UNITS = { ns: 1, us: 1e3, "µs": 1e3, "μs": 1e3, ms: 1e6, s: 1e9, "": 1 };

	/* "1 ms": that and more; "1 ms-10 ms": [from, to) in ns, or in numbers; null if it is neither.
	 * Times need a unit. */
	function parseLengths(text, areTimes) {
		const values = text.split(/[-–]|\.\./).map(part => {
			const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-zµμ]*)\s*$/.exec(part) || [];
			return number && (unit !== "") === areTimes && unit in UNITS ? number * UNITS[unit] : NaN;
		});
		const [from, to = Infinity] = values;
		return values.length < 3 && to > from ? { from, to } : null;
	}

	class Page extends timelineBase.View {
		constructor(host, model) {
			super(host, model);
			this.filter = "";
			this.canvas = make("canvas", { id: "lanes", class: "tl-canvas", tabindex: "0", role: "img",
				"aria-label": model.title + ". Arrows move, plus and minus zoom, 0 shows all" });
			this.scale = make("div", { id: "legend", class: "tl-legend" });
			host.append(this.head(), make("div", { class: "fg-bar" }, this.allTime(), this.status,
				this.search()), this.notice, this.scale,
				make("div", { class: "tl-scroll" }, this.canvas), this.tip);
			this.listen(this.canvas);
			this.draw();
			this.keepInAddress();
		}

		search() {
			const example = this.model.times ? "1 ms, or 1 ms-10 ms" : "10, or 10-20";
			this.find = make("input", { id: "find", type: "search", spellcheck: "false",
				placeholder: "search: " + example, "aria-label": "search for lengths, such as " + example });
			this.find.addEventListener("input", () => {
				this.filter = this.find.value;
				this.draw();
				this.changed("find");
			});
			return this.find;
		}

		choices() {
			return { find: this.filter };
		}

		adopt({ find }) {
			this.filter = find;
			return [];
		}

		/* The rows that may hold what is searched for: the first, and past the last; null = all. */
		findRows() {
			const { bounds, rows, times } = this.model, text = this.filter.trim();
			const wanted = text ? parseLengths(text, times) : null;
			this.find.classList.toggle("wrong", !!text && !wanted);
			this.showNotice(text && !wanted ? ["“" + text + "” is no " + (times ? "time: try 1 ms, " +
				"or 1 ms-10 ms" : "number: try 10, or 10-20")] : []);
			if (!wanted)
				return null;
			const first = bounds.findIndex((bound, row) => row && bound > wanted.from);
			const past = bounds.findIndex(bound => bound >= wanted.to);
			return { first: first < 0 ? rows.length : first - 1, past: past < 0 ? rows.length : past };
		}

		isFound(row) {
			return !this.found || (row >= this.found.first && row < this.found.past);
		}

		/* Columns of the map that are drawn as one. */
		together() {
			const { from, to } = this.view, px = this.width() * this.model.column / (to - from);
			return Math.max(1, Math.ceil(LEAST / px));
		}

		/* Counts in sight: Map of column × rows + row → count; columns by the first of them. */
		cells() {
			const { column, rows, counts } = this.model, by = this.together(), sums = new Map();
			const first = Math.floor(this.view.from / column), last = Math.ceil(this.view.to / column);
			for (const [at, row, count] of counts) {
				if (at < first || at >= last)
					continue;
				const key = (at - at % by) * rows.length + row;
				sums.set(key, (sums.get(key) || 0) + count);
			}
			return sums;
		}

		heat(count) {
			return Math.log1p(count) / Math.log1p(this.most || 1);
		}

		draw() {
			const { rows, column } = this.model, ink = timelineCanvas.colors();
			const width = this.pageWidth(), by = this.together(), start = this.left();
			const pen = timelineCanvas.prepare(this.canvas, width, AXIS + rows.length * ROW + 1);
			timelineCanvas.axis(pen, this.view, width, ink, start);
			this.found = this.findRows();
			if (document.activeElement !== this.find)
				this.find.value = this.filter;
			this.shown = this.cells();
			this.most = 0;
			for (const count of this.shown.values())
				this.most = Math.max(this.most, count);
			for (const [key, count] of this.shown) {
				const row = key % rows.length, at = (key - row) / rows.length * column;
				const left = Math.max(this.x(at), start),
					right = Math.min(this.x(at + by * column), width);
				pen.globalAlpha = this.isFound(row) ? 1 : 0.2;
				pen.fillStyle = heatScale.color(this.heat(count));
				pen.fillRect(left, this.top(row), Math.max(right - left - 0.3, 0.7), ROW - 1);
			}
			pen.globalAlpha = 1;
			pen.font = "12px system-ui, sans-serif";
			rows.forEach((name, row) => {
				pen.fillStyle = this.isFound(row) ? ink.ink : ink.soft;
				pen.fillText(timelineCanvas.fit(pen, name, start - 16), 8, this.top(row) + ROW / 2);
				pen.fillStyle = ink.line;
				pen.fillRect(start, this.top(row) + ROW - 1, width - start, 1);
			});
			this.describe(by * column);
		}

		/* The longest on top. */
		top(row) {
			return AXIS + (this.model.rows.length - 1 - row) * ROW;
		}

		describe(step) {
			const { from, to } = this.view, { thing, rows } = this.model, span = to - from;
			let all = 0, found = 0;
			for (const [key, count] of this.shown) {
				all += count;
				found += this.isFound(key % rows.length) ? count : 0;
			}
			const number = count => count.toLocaleString("en-US") + " " + thing;
			this.status.textContent = (this.found ? number(found) + " in the rows found, " +
				(all ? 100 * found / all : 0).toFixed(2) + "% of " + number(all) : number(all)) +
				" · " + timelineCanvas.time(from, span) + " – " + timelineCanvas.time(to, span);
			const steps = [...new Set([0, 0.25, 0.5, 0.75, 1].map(part =>
				Math.max(1, Math.round(Math.expm1(part * Math.log1p(this.most))))))];
			this.scale.replaceChildren(...heatScale.legend(steps, count => this.heat(count),
				count => count.toLocaleString("en-US")), " " + thing + " in " +
				timelineCanvas.length(step).replace(/\.0+ /, " "));
		}

		point(event, at) {
			const { rows, column, thing } = this.model, by = this.together();
			const row = rows.length - 1 - Math.floor((event.offsetY - AXIS) / ROW);
			this.tip.hidden = event.offsetY < AXIS || event.offsetX < this.left() || !rows[row];
			if (this.tip.hidden)
				return;
			const cell = Math.floor(at / column), first = cell - cell % by;
			const count = this.shown.get(first * rows.length + row) || 0;
			this.showTip(event, [make("b", {}, count.toLocaleString("en-US") + " " + thing),
				make("div", { class: "soft" }, rows[row] + " · from " +
					timelineCanvas.length(first * column) + " for " + timelineCanvas.length(by * column))]);
		}
	}

	async function open() {
		const data = document.getElementById("latency-data");
		const model = JSON.parse(new TextDecoder().decode(await flameData.inflate(data.textContent)));
		data.remove();
		window.cupel = { page: new Page(document.getElementById("page"), model) };
		document.documentElement.dataset.ready = "1";
	}

	return { open };
})();
latencyMap.open();
