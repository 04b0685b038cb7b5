/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of `cupel annotate -o code.html`: source lines on the left, instructions on the right, with
 * the samples of each; a click on one shows what belongs to it on the other side. The data is that of
 * --json. The part of the address behind # names the function. */
const annotatePage = (() => {
	const LANES = 8, LANE = 8, NONE = -1, PROBLEMS_SHOWN = 3;

	function make(tag, attributes, ...children) {
		const element = document.createElement(tag);
		for (const [name, value] of Object.entries(attributes || {}))
			element.setAttribute(name, value);
		element.append(...children);
		return element;
	}

	/* What percentages are of, by their name. */
	const BASES = {
		"local-period": (f, e, c) => c[1] / f.events[e].weight,
		"local-hits": (f, e, c) => c[0] / f.events[e].samples,
		"global-period": (f, e, c) => c[1] / f.events[e].all_weight,
		"global-hits": (f, e, c) => c[0] / f.events[e].all_samples,
	};

	function keyOf(f, row) {
		const place = f.places[row.place];
		return place && place.source !== NONE && place.line ? place.source + ":" + place.line : "";
	}

	/* "mix", with where it is inlined: "mix inlined into hot:14". */
	function functionOf(f, row) {
		let place = f.places[row.place], text = place ? place.function || "?" : "?";
		for (let word = " inlined into "; place && place.caller !== NONE; word = ", ") {
			place = f.places[place.caller];
			text += word + place.function + ":" + place.line;
		}
		return text;
	}

	/* Samples and weight by line, for one event. */
	function sumLines(f, e) {
		const sums = new Map();
		for (const row of f.instructions) {
			const key = keyOf(f, row), sum = sums.get(key) || [0, 0];
			sum[0] += row.counts[e][0];
			sum[1] += row.counts[e][1];
			sums.set(key, sum);
		}
		return sums;
	}

	/* Jumps inside the function with the lane each is drawn in, short ones first. */
	function findArrows(f) {
		const taken = [], arrows = [];
		f.instructions.forEach((row, i) => {
			if (row.target !== NONE)
				arrows.push({ from: i, to: row.target, first: Math.min(i, row.target),
					last: Math.max(i, row.target) });
		});
		arrows.sort((a, b) => (a.last - a.first) - (b.last - b.first));
		return arrows.filter(arrow => {
			for (let lane = 0; lane < LANES; lane++) {
				const others = taken[lane] || (taken[lane] = []);
				if (others.every(o => o.last < arrow.first || o.first > arrow.last)) {
					others.push(arrow);
					arrow.lane = lane;
					return true;
				}
			}
			return false;
		});
	}

	class Page {
		constructor(host, data) {
			this.host = host;
			this.functions = data.functions;
			this.event = 0;
			this.base = "local-period";
			this.source = make("section", { id: "source", "aria-label": "Source" });
			this.code = make("section", { id: "code", "aria-label": "Instructions" });
			this.notes = make("p", { id: "notes", class: "an-notes" });
			host.append(this.bar(), this.notes, make("div", { class: "an-panes" }, this.source,
				this.code));
			window.addEventListener("hashchange", () => this.follow());
			window.addEventListener("resize", () => this.drawArrows());
			this.follow();
		}

		bar() {
			const select = (id, label, change) => {
				const element = make("select", { id, "aria-label": label });
				element.addEventListener("change", () => change(element.value));
				return element;
			};
			this.chooser = select("function", "Function", value => { location.hash = value; });
			this.events = select("event", "Event", value => this.show(this.number, +value));
			this.bases = select("base", "Percentages of", value => {
				this.base = value;
				this.show(this.number, this.event);
			});
			this.functions.forEach((f, i) => this.chooser.append(make("option",
				{ value: f.function + "@" + i }, f.function + " (" + f.module + ")")));
			for (const name of Object.keys(BASES))
				this.bases.append(make("option", { value: name }, name));
			const next = make("button", { id: "next", type: "button" }, "Next hot instruction");
			next.addEventListener("click", () => this.nextHot());
			return make("header", { class: "fg-bar an-bar" }, this.chooser, this.events, this.bases,
				next);
		}

		/* The function where most samples are in a function that is inlined there, with the
		 * first of these instructions; or NONE. */
		findInlined(name) {
			const found = { number: NONE, row: NONE, samples: -1 };
			this.functions.forEach((f, number) => {
				const has = place => place && (place.function === name || has(f.places[place.caller]));
				const inside = f.instructions.filter(row => has(f.places[row.place]));
				const samples = inside.reduce((sum, row) => sum + row.counts[0][0], 0);
				if (inside.length && samples > found.samples)
					Object.assign(found, { number, samples, row: f.instructions.indexOf(inside[0]) });
			});
			return found;
		}

		/* "#hot@3" is function 3, "#hot" the first of that name, or where it is inlined. */
		follow() {
			const hash = decodeURIComponent(location.hash.slice(1));
			let number = this.functions.findIndex((f, i) => f.function + "@" + i === hash);
			if (number < 0)
				number = this.functions.findIndex(f => f.function === hash);
			const inlined = number < 0 && hash ? this.findInlined(hash) : { number, row: NONE };
			number = inlined.number;
			this.missing = number < 0 ? hash : "";
			this.show(Math.max(number, 0), this.event);
			if (inlined.row !== NONE)
				this.scrollTo(inlined.row);
		}

		show(number, event) {
			const f = this.functions[number];
			this.number = number;
			this.event = Math.min(event, f.events.length - 1);
			this.chooser.value = f.function + "@" + number;
			this.events.replaceChildren(...f.events.map((e, i) => make("option", { value: i },
				e.name + ": " + e.samples + " samples")));
			this.events.value = this.event;
			this.arrows = findArrows(f);
			this.showNotes(f);
			this.showSource(f);
			this.showCode(f);
			this.drawArrows();
			this.hot = NONE;
		}

		showNotes(f) {
			const notes = this.missing ? ["no code of " + this.missing + " here"] : [];
			if (f.problem)
				notes.push(f.problem);
			if (!f.events[this.event].precise)
				notes.push(f.events[this.event].name +
					" is not precise: the instruction before a hot one is a suspect too");
			const lacking = f.sources.filter((source) => source.problem);
			for (const source of lacking.slice(0, PROBLEMS_SHOWN))
				notes.push(source.path + ": " + source.problem);
			if (lacking.length > PROBLEMS_SHOWN)
				notes.push(lacking.length - PROBLEMS_SHOWN + " more source files cannot be shown");
			this.notes.textContent = notes.join(" · ");
		}

		/* The cell with a share, and its colour on the row. */
		share(row, count) {
			const f = this.functions[this.number], part = BASES[this.base](f, this.event, count) || 0;
			if (part > 0)
				row.style.background = "rgba(224, 64, 32, " + Math.min(Math.sqrt(part) * 0.7, 0.7) + ")";
			return make("td", { class: "an-share" }, count[0] ? (part * 100).toFixed(2) : "");
		}

		line(key, number, text, count) {
			const row = make("tr", { "data-line": key });
			row.append(this.share(row, count), make("td", { class: "an-number" }, String(number)),
				make("td", { class: "an-text" }, text));
			row.addEventListener("click", () => this.mark(key, this.code));
			return row;
		}

		showSource(f) {
			const sums = sumLines(f, this.event), parts = [];
			f.sources.forEach((source, i) => {
				const body = make("tbody");
				const first = source.text.length ? source.text_first : source.first;
				const last = source.text.length ? first + source.text.length - 1 : source.last;
				for (let n = first; n <= last; n++) {
					const key = i + ":" + n, text = source.text[n - first];
					if (text !== undefined || sums.has(key))
						body.append(this.line(key, n, text || "", sums.get(key) || [0, 0]));
				}
				parts.push(make("h2", {}, source.path), make("table", {}, body));
			});
			if (!parts.length)
				parts.push(make("p", {}, "No source lines: the program has no debug information."));
			this.source.replaceChildren(...parts);
		}

		instruction(f, i) {
			const row = f.instructions[i], key = keyOf(f, row);
			const element = make("tr", { "data-line": key, "data-row": i, title: row.bytes });
			const text = make("td", { class: "an-text" }, row.mnemonic.padEnd(7));
			if (row.target !== NONE) {
				const link = make("a", { href: location.hash || "#" }, row.operands);
				link.addEventListener("click", event => {
					event.preventDefault();
					event.stopPropagation();
					this.scrollTo(row.target);
				});
				text.append(link);
			} else {
				text.append(row.operands);
			}
			element.append(this.share(element, row.counts[this.event]),
				make("td", { class: "an-lanes" }), make("td", { class: "an-number" }, row.address),
				text);
			element.addEventListener("click", () => this.mark(key, this.source));
			return element;
		}

		showCode(f) {
			const body = make("tbody");
			let inside = null;
			this.rows = f.instructions.map((row, i) => {
				const name = row.place === NONE ? inside : functionOf(f, row);
				if (name !== inside)
					body.append(make("tr", { class: "an-function" }, make("td", { colspan: 4 },
						inside = name)));
				const element = this.instruction(f, i);
				body.append(element);
				return element;
			});
			this.code.replaceChildren(make("h2", {}, f.function + " of " + f.module),
				make("table", {}, body));
		}

		/* Lines from jumps to their targets; those back outline loops. */
		drawArrows() {
			const old = this.code.querySelector("svg"), space = "http://www.w3.org/2000/svg";
			const svg = document.createElementNS(space, "svg"), cell = this.rows.length &&
				this.rows[0].querySelector(".an-lanes");
			if (old)
				old.remove();
			if (!cell || !this.arrows.length)
				return;
			const width = LANES * LANE + 12, left = cell.offsetLeft;
			const table = this.code.querySelector("table");
			const middle = i => this.rows[i].offsetTop + this.rows[i].offsetHeight / 2;
			svg.setAttribute("class", "an-arrows");
			svg.setAttribute("aria-hidden", "true");
			svg.setAttribute("width", left + width);
			svg.setAttribute("height", table.offsetHeight);
			svg.style.top = table.offsetTop + "px";
			for (const arrow of this.arrows) {
				const path = document.createElementNS(space, "path"), end = left + width - 4;
				const x = left + (LANES - arrow.lane) * LANE - 2;
				const from = middle(arrow.from), to = middle(arrow.to);
				path.setAttribute("class", arrow.to <= arrow.from ? "back" : "forth");
				path.setAttribute("d", "M" + end + " " + from + "H" + x + "V" + to + "H" + end +
					"m-4 -3l4 3l-4 3");
				svg.append(path);
			}
			this.code.append(svg);
		}

		mark(key, pane) {
			for (const element of this.host.querySelectorAll(".an-marked"))
				element.classList.remove("an-marked");
			if (!key)
				return;
			for (const element of this.host.querySelectorAll("tr[data-line='" + key + "']"))
				element.classList.add("an-marked");
			const there = pane.querySelector(".an-marked");
			if (there)
				there.scrollIntoView({ block: "center" });
		}

		scrollTo(i) {
			this.mark(this.rows[i].dataset.line, this.source);
			this.rows[i].scrollIntoView({ block: "center" });
		}

		/* The hottest instruction first, then the next hottest. */
		nextHot() {
			const rows = this.functions[this.number].instructions;
			const order = rows.map((row, i) => i).filter(i => rows[i].counts[this.event][0])
				.sort((a, b) => rows[b].counts[this.event][1] - rows[a].counts[this.event][1]);
			if (!order.length)
				return;
			this.hot = (this.hot + 1) % order.length;
			this.scrollTo(order[this.hot]);
		}
	}

	return { Page, findArrows };
})();

(async () => {
	const host = document.getElementById("page"), data = document.getElementById("annotate-data");
	if (typeof DecompressionStream === "undefined") {
		host.textContent = "This browser cannot decompress the data: DecompressionStream is missing.";
		return;
	}
	const text = new TextDecoder().decode(await flameData.inflate(data.textContent));
	window.cupel = { page: new annotatePage.Page(host, JSON.parse(text)) };
})();
