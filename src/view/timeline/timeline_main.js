/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of timeline.c: zoom by wheel or by dragging, lanes put together by process or name,
 * kinds switched off, what is under the pointer in words. */
const timelinePage = (() => {
	const { make } = timelineBase;

	/* The machine values that are shown at first: those that can delay a program. */
	function matters(row) {
		const quiet = row.unit === "percent" && row.max < 1;
		const names = ["busy", "wait of a request", "written", "read", "received", "sent"];
		return !quiet && row.max > 0 && (/^(CPU|scheduling|pressure)$/.test(row.group) ||
			/^(disk|net) /.test(row.group) && names.includes(row.name));
	}

	function percent(part, whole) {
		return whole > 0 ? (100 * part / whole).toFixed(1) + " %" : "–";
	}

	class Page extends timelineBase.View {
		constructor(host, model) {
			super(host, model);
			this.view.hidden = new Set();
			model.kinds.forEach((kind, k) => { if (kind.idle) this.view.hidden.add(k); });
			this.by = "thread";
			this.filter = "";
			this.build();
			this.regroup();
		}

		build() {
			const m = this.model;
			this.canvas = make("canvas", { id: "lanes", class: "tl-canvas", tabindex: "0",
				role: "img", "aria-label": m.title + ". Arrows move, plus and minus zoom, 0 shows all" });
			this.below = make("canvas", { id: "context", class: "tl-canvas" });
			this.host.append(this.head(), this.controls(), this.legend(),
				make("div", { class: "tl-scroll" }, this.canvas),
				this.machine(), this.below, this.tip);
			this.listen(this.canvas, this.below);
		}

		controls() {
			const by = make("select", { id: "by", "aria-label": "rows" });
			for (const [value, text] of [["thread", "one row per thread"],
				["process", "one row per process"], ["name", "per name"], ["all", "one row in total"]])
				by.append(make("option", { value }, text));
			by.addEventListener("change", () => { this.by = by.value; this.regroup(); });
			const find = make("input", { id: "find", type: "search", placeholder: "Filter rows",
				"aria-label": "Filter rows" });
			find.addEventListener("input", () => { this.filter = find.value; this.regroup(); });
			return make("div", { class: "fg-bar" }, by, this.allTime(), this.told, find);
		}

		/* A switch for each kind that occurs, with its share. */
		legend() {
			const box = make("div", { id: "legend", class: "tl-legend" });
			this.shares = [];
			this.model.kinds.forEach((kind, k) => {
				if (!this.model.lanes.some(lane => lane.total[k] > 0))
					return;
				const share = make("span", { class: "soft" });
				const button = make("button", { type: "button", "data-kind": k,
					"aria-pressed": String(!this.view.hidden.has(k)) },
				stateTexture.swatch(kind), kind.name + " ", share);
				button.addEventListener("click", () => {
					const hidden = this.view.hidden;
					if (!hidden.delete(k))
						hidden.add(k);
					button.setAttribute("aria-pressed", String(!hidden.has(k)));
					this.draw();
				});
				this.shares[k] = share;
				box.append(button);
			});
			return box;
		}

		machine() {
			const box = make("div", { class: "tl-h2" });
			if (!this.model.context)
				return box;
			const more = make("button", { id: "more", type: "button", "aria-pressed": "false" },
				"Everything");
			more.addEventListener("click", () => {
				this.everything = !this.everything;
				more.setAttribute("aria-pressed", String(this.everything));
				this.draw();
			});
			box.append(make("h2", {}, "Machine state"), more);
			return box;
		}

		regroup() {
			const word = this.filter.toLowerCase();
			this.lanes = timelineData.grouped(this.model, this.by)
				.filter(lane => lane.name.toLowerCase().includes(word) ||
					lane.process.toLowerCase().includes(word));
			this.draw();
		}

		draw() {
			const { from, to } = this.view, span = to - from, context = this.model.context;
			timelineCanvas.lanes(this.canvas, this.model, this.lanes, this.view,
				this.host.clientWidth);
			if (context)
				timelineCanvas.context(this.below, context, context.rows.filter(
					this.everything ? row => row.max > 0 : matters), this.view,
				this.host.clientWidth);
			this.told.textContent = this.lanes.length + " rows · " +
				timelineCanvas.time(from, span) + " – " + timelineCanvas.time(to, span);
			const sum = new Float64Array(this.model.kinds.length), one = sum.slice();
			/* A CPU shows the states of its threads. */
			const threads = this.lanes.filter(lane => !lane.cpu);
			for (const lane of threads.length ? threads : this.lanes) {
				timelineData.amounts(lane, from, to, one);
				one.forEach((us, k) => { sum[k] += us; });
			}
			const all = sum.reduce((a, b) => a + b, 0);
			this.shares.forEach((share, k) => { share.textContent = percent(sum[k], all); });
		}

		/* The states of the row under the pointer in the column's time. */
		point(event, at) {
			const { ROW, GAP, AXIS } = timelineCanvas;
			const index = Math.floor((event.offsetY - AXIS) / (ROW + GAP));
			const lane = this.lanes[index];
			this.tip.hidden = !lane || event.offsetY < AXIS;
			if (this.tip.hidden)
				return;
			const named = event.offsetX < this.left(), step = (this.view.to - this.view.from) / this.width();
			const from = named ? this.view.from : at - step, to = named ? this.view.to : at + step;
			const slice = named || lane.members > 1 ? -1 : timelineData.exactAt(lane, at);
			this.showTip(event, this.words(lane, from, to, slice));
		}

		/* "blocked: lock 1.204 ms, held by worker:12" */
		sliceWords(lane, i) {
			const kind = this.model.kinds[lane.kind[i]], label = this.model.labels[lane.label[i]];
			const us = lane.end[i] - lane.start[i];
			return make("div", {}, stateTexture.swatch(kind), kind.name + " " + timelineCanvas.length(us) +
				(label ? ", " + label : ""));
		}

		/* A slice that fills the time needs no list. */
		words(lane, from, to, slice) {
			const span = to - from, kinds = this.model.kinds;
			const amounts = timelineData.amounts(lane, from, to, new Float64Array(kinds.length));
			const all = amounts.reduce((a, b) => a + b, 0);
			const lines = [make("b", {}, lane.name), make("div", { class: "soft" }, lane.process +
				" · " + timelineCanvas.time(from, span) + " – " + timelineCanvas.time(to, span))];
			if (slice >= 0)
				lines.push(this.sliceWords(lane, slice));
			if (slice >= 0 && lane.start[slice] <= from && lane.end[slice] >= to)
				return lines;
			kinds.map((kind, k) => [kind, amounts[k]]).filter(([, us]) => us > 0)
				.sort((a, b) => b[1] - a[1]).forEach(([kind, us]) => {
					lines.push(make("div", {}, stateTexture.swatch(kind), kind.name + " " + percent(us, all)));
				});
			if (!all)
				lines.push(make("div", { class: "soft" }, "not alive"));
			return lines;
		}
	}

	return { Page };
})();

(async () => {
	const data = document.getElementById("timeline-data");
	const model = await timelineData.unpack(data.textContent);
	data.remove();
	window.cupel = { page: new timelinePage.Page(document.getElementById("page"), model) };
	document.documentElement.dataset.ready = "1";
})();
