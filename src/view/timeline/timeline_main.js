/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of timeline.c: zoom by wheel or by dragging, lanes put together by process or name,
 * kinds switched off, what is under the pointer in words. */
const timelinePage = (() => {
	const { make } = timelineBase;
	const GROUPS = [["thread", "one row per thread"], ["process", "one row per process"],
		["name", "per name"], ["all", "one row in total"]];

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
			this.everything = false;
			this.build();
			this.regroup();
			this.keepInAddress();
		}

		/* toggled: kinds that are not shown or hidden as at first. */
		choices() {
			const { hidden } = this.view;
			return { by: this.by, find: this.filter, more: this.everything ? "1" : "",
				toggled: this.model.kinds.filter((kind, k) => hidden.has(k) !== kind.idle)
					.map(kind => kind.name).join(";") };
		}

		adopt({ by, find, more, toggled }) {
			const { kinds } = this.model, names = toggled.split(";").filter(name => name);
			const known = GROUPS.some(([value]) => value === by);
			this.by = known ? by : "thread";
			this.filter = find;
			this.everything = more === "1";
			this.view.hidden = new Set();
			kinds.forEach((kind, k) => {
				if (kind.idle !== names.includes(kind.name))
					this.view.hidden.add(k);
			});
			this.regroup();
			return names.filter(name => !kinds.some(kind => kind.name === name))
				.concat(known ? [] : by);
		}

		build() {
			const m = this.model;
			this.canvas = make("canvas", { id: "lanes", class: "tl-canvas", tabindex: "0",
				role: "img", "aria-label": m.title + ". Arrows move, plus and minus zoom, 0 shows all" });
			this.below = make("canvas", { id: "context", class: "tl-canvas" });
			this.host.append(this.head(), this.controls(), this.notice, this.legend(),
				make("div", { class: "tl-scroll" }, this.canvas),
				this.machine(), make("div", Object.assign({ class: "tl-scroll tl-context" }, m.context ? {} : { hidden: "" }),
					this.below), this.tip);
			this.listen(this.canvas, this.below);
		}

		controls() {
			const by = this.group = make("select", { id: "by", "aria-label": "rows" });
			for (const [value, text] of GROUPS)
				by.append(make("option", { value }, text));
			by.addEventListener("change", () => {
				this.by = by.value;
				this.regroup("by");
			});
			const find = this.find = make("input", { id: "find", type: "search", spellcheck: "false",
				placeholder: "filter rows: regular expressions, separated by ;",
				"aria-label": "filter rows" });
			find.addEventListener("input", () => {
				this.filter = find.value;
				this.regroup("find");
			});
			return make("div", { class: "fg-bar" }, by, this.allTime(), this.status, find);
		}

		/* A switch for each kind that occurs, with its share. */
		legend() {
			const box = make("div", { id: "legend", class: "tl-legend" });
			this.shares = [];
			this.switches = [];
			this.model.kinds.forEach((kind, k) => {
				if (!this.model.lanes.some(lane => lane.total[k] > 0))
					return;
				const share = make("span", { class: "soft" });
				const button = make("button", { type: "button", "data-kind": k },
					stateTexture.swatch(kind), kind.name + " ", share);
				button.addEventListener("click", () => {
					const hidden = this.view.hidden;
					if (!hidden.delete(k))
						hidden.add(k);
					this.draw();
					this.changed("toggled");
				});
				this.shares[k] = share;
				this.switches[k] = button;
				box.append(button);
			});
			return box;
		}

		machine() {
			const box = make("div", { class: "tl-h2" });
			if (!this.model.context)
				return box;
			this.more = make("button", { id: "more", type: "button" }, "Everything");
			this.more.addEventListener("click", () => {
				this.everything = !this.everything;
				this.draw();
				this.changed("more");
			});
			box.append(make("h2", {}, "Machine state"), this.more);
			return box;
		}

		/* what: the user's change, if it is one. */
		regroup(what) {
			const terms = flameText.terms(this.filter, true), wrong = terms.filter(t => t.wrong);
			this.lanes = timelineData.grouped(this.model, this.by).filter(lane => !terms.length ||
				terms.some(({ regex }) => regex.test(lane.name) || regex.test(lane.process)));
			this.find.classList.toggle("wrong", wrong.length > 0);
			this.draw();
			this.showNotice(wrong.map(flameText.wrongTerm).concat(this.lanes.length ? [] :
				["no row matches “" + this.filter + "”"]));
			if (what)
				this.changed(what);
		}

		/* Controls look as the choices are. */
		reflect() {
			this.group.value = this.by;
			if (document.activeElement !== this.find)
				this.find.value = this.filter;
			this.switches.forEach((button, k) => button.setAttribute("aria-pressed",
				String(!this.view.hidden.has(k))));
			if (this.more)
				this.more.setAttribute("aria-pressed", String(this.everything));
		}

		draw() {
			const { from, to } = this.view, span = to - from, context = this.model.context;
			const width = this.pageWidth();
			this.reflect();
			timelineCanvas.lanes(this.canvas, this.model, this.lanes, this.view, width);
			if (context)
				timelineCanvas.context(this.below, context, context.rows.filter(
					this.everything ? row => row.max > 0 : matters), this.view, width);
			this.status.textContent = this.lanes.length + " rows · " +
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
