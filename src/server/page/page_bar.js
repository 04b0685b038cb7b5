/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The controls above the chart and above the views. They know the state, and call on.set(changes). */
const pageBar = (() => {
	const { make, button } = pageText;
	const RANGES = [["-15m", "15 minutes"], ["-1h", "1 hour"], ["-6h", "6 hours"], ["-24h", "24 hours"],
		["-7d", "7 days"], ["-30d", "30 days"]];
	const VIEWS = [["flame", "Flame graph"], ["functions", "Functions"], ["diff", "Compare"],
		["waits", "Waits by thread"], ["unknown", "Unknown code"], ["files", "Files"]];
	const BASES = [["previous", "the time before"], ["day", "the day before"],
		["week", "the week before"], ["b", "range B"], ["other", "other labels"]];

	function field(id, label, attributes, commit) {
		const input = make("input", Object.assign({ id, type: "text", spellcheck: "false",
			autocomplete: "off" }, attributes));
		input.addEventListener("change", () => commit(input.value.trim()));
		return { input, box: make("label", {}, label + " ", input) };
	}

	function choice(id, label, words, commit) {
		const select = make("select", { id });
		fill(select, words);
		select.addEventListener("change", () => commit(select.value));
		return { select, box: make("label", {}, label + " ", select) };
	}

	function fill(select, words) {
		select.replaceChildren(...words.map(([value, text]) => make("option", { value }, text)));
	}

	/* A value that is not among the words becomes one. */
	function choose(select, value) {
		select.value = value;
		if (select.value !== value) {
			select.append(make("option", { value }, value));
			select.value = value;
		}
	}

	function create(on) {
		const selector = field("sp-selector", "Samples of", { list: "sp-labels",
			placeholder: '{service="web", host=~"db.*"}' }, value => on.set({ selector: value }));
		const labels = make("datalist", { id: "sp-labels" });
		const last = choice("sp-last", "Last", [["", "from … to"], ...RANGES], value =>
			value && on.set({ from: value, to: "now", a: "", b: "" }));
		const from = field("sp-from", "from", { size: 17 }, value => on.set({ from: value || "-1h" }));
		const to = field("sp-to", "to", { size: 17 }, value => on.set({ to: value || "now" }));
		const event = choice("sp-event", "Event", [], value => on.set({ event: value }));
		const by = choice("sp-by", "By", [["", "nothing"]], value => on.set({ by: value }));
		const box = make("div", { class: "sp-bar", role: "toolbar", "aria-label": "samples" },
			make("h1", {}, "Cupel"), selector.box, labels, last.box, from.box, to.box,
			button("‹", "earlier ([)", () => on.shift(-1), { id: "sp-earlier" }),
			button("›", "later (])", () => on.shift(1), { id: "sp-later" }),
			button("Zoom in", "show only range A (z)", on.zoom, { id: "sp-zoom" }),
			event.box, by.box, button("Reload", "load again (r)", on.reload, { id: "sp-reload" }),
			button("Copy link", "to exactly this view, with absolute times", on.link,
				{ id: "sp-link" }));
		return { box, reflect(state) {
			selector.input.value = state.selector;
			from.input.value = state.from;
			to.input.value = state.to;
			last.select.value = state.to === "now" && RANGES.some(r => r[0] === state.from) ?
				state.from : "";
			choose(event.select, state.event);
			choose(by.select, state.by);
		}, offer(known, state) {
			const names = Object.keys(known).sort();
			fill(event.select, (known.event || []).map(e => [e[0], e[0]]));
			fill(by.select, [["", "nothing"], ...names.map(n => [n, n])]);
			labels.replaceChildren(...names.filter(n => n !== "event").flatMap(name =>
				known[name].slice(0, 50).map(([value]) => make("option",
					{ value: pageText.narrow("", name, value) }))));
			choose(event.select, state.event);
			choose(by.select, state.by);
		} };
	}

	function createViews(on) {
		const tabs = VIEWS.map(([value, text], i) => button(text, "key " + (i + 1), () =>
			on.set({ view: value, inner: "" }), { id: "sp-view-" + value, role: "tab" }));
		const base = choice("sp-base", "with", BASES, value => on.set({ base: value }));
		const other = field("sp-other", "", { placeholder: '{version="1"}', "aria-label":
			"labels to compare with" }, value => on.set({ other: value }));
		const total = make("input", { type: "checkbox", id: "sp-total" });
		total.addEventListener("change", () => on.set({ total: total.checked ? "1" : "" }));
		const totalBox = make("label", {}, total, " with what they call");
		const range = make("span", { class: "sp-range", id: "sp-range" });
		const box = make("div", { class: "sp-bar sp-views" }, make("div", { role: "tablist",
			class: "sp-tabs", "aria-label": "views" }, ...tabs), base.box, other.box, totalBox, range);
		return { box, reflect(state, text) {
			VIEWS.forEach(([value], i) => tabs[i].setAttribute("aria-selected",
				state.view === value));
			base.box.hidden = state.view !== "diff";
			other.box.hidden = state.view !== "diff" || state.base !== "other";
			totalBox.hidden = state.view !== "functions";
			base.select.value = state.base;
			other.input.value = state.other;
			total.checked = !!state.total;
			range.textContent = text;
		} };
	}

	return { create, createViews, VIEWS };
})();
