/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page: asks the server for what the state says, and shows it. */
const page = (() => {
	const { make } = pageText, { query, rangeOf, textOf } = pageState;
	const DAY = 86400e9;
	const HELP = "1–6 views · [ ] earlier, later · z show only range A · r load again · / labels · " +
		"in the chart: drag A, Shift+drag B, arrow keys · in the flame graph: ?";

	let state = pageState.read(location.hash.slice(1));
	let chart, bar, views, frame, list, legend, status, hover;
	let timeline = null, asked = 0, offered = "", mainEvent = "";

	async function ask(path) {
		const answer = await fetch(path, { credentials: "same-origin" });
		const text = await answer.text();
		if (!answer.ok)
			throw new Error(text.trim() || answer.statusText);
		return JSON.parse(text);
	}

	function say(text) {
		status.textContent = text;
		status.hidden = !text;
	}

	/* Amounts of several events cannot be added: without a choice it is time on the CPU, else what
	 * there is most of. */
	const current = () => state.event ? state : Object.assign({}, state, { event: mainEvent });

	/* Of the whole chart, in ns. */
	const whole = () => timeline ? { from: timeline.begin_ns, to: timeline.end_ns } : null;
	const selected = () => rangeOf(state.a) || whole();

	/* What range A is compared with: words of the query. */
	function baseWords(range) {
		const length = range.to - range.from, back = { previous: length, day: DAY, week: 7 * DAY };
		const before = state.base === "b" && rangeOf(state.b) ? rangeOf(state.b) :
			state.base === "other" || state.base === "b" ? range :
			{ from: range.from - back[state.base], to: range.to - back[state.base] };
		return { before_from: "@" + Math.round(before.from / 1e9),
			before_to: "@" + Math.round(before.to / 1e9),
			before_selector: state.base === "other" ? state.other : state.selector };
	}

	/* The event of waits among those that there are. */
	function waitEvent() {
		const words = Array.from(document.getElementById("sp-event").options, o => o.value);
		return words.find(w => /off-?cpu/i.test(w)) || "offcpu-time";
	}

	function showList(element) {
		frame.element.hidden = true;
		list.hidden = false;
		list.replaceChildren(element);
	}

	function showFrame(path, words) {
		list.hidden = true;
		frame.element.hidden = false;
		frame.show(path + "?" + words, state.inner);
	}

	const openFunction = name => set({ view: "flame", inner: "sandwich=" + encodeURIComponent(name) });

	const SHOW = {
		flame: range => showFrame("flame", query(current(), range)),
		diff: range => showFrame("diff", query(current(), range, baseWords(range))),
		functions: async range => {
			const data = await ask("api/functions?" + query(current(), range, { total: state.total }));
			return () => showList(pageLists.functions(data, "function", openFunction));
		},
		waits: async range => {
			const event = waitEvent();
			const data = await ask("api/timeline?" + query(current(), range, { event, by: "comm" }));
			return () => showList(pageLists.lines(data, "thread", name => set({ view: "flame", event,
				selector: pageText.narrow(state.selector, "comm", name), inner: "" })));
		},
		unknown: async range => {
			const data = await ask("api/unknown?" + query(current(), range));
			return () => showList(pageLists.unknown(data));
		},
		files: range => showList(pageLists.files(query(current(), range))),
	};

	/* The view of the selected range. Answers that come late are dropped. */
	async function showView() {
		const range = selected(), number = ++asked;
		views.reflect(state, range ? (state.a ? "A: " : "") + pageText.range(range.from, range.to) : "");
		document.documentElement.dataset.view = "";
		try {
			const show = range && await (SHOW[state.view] || SHOW.flame)(range);
			if (number !== asked)
				return;
			if (show)
				show();
			document.documentElement.dataset.view = state.view;
		} catch (error) {
			if (number === asked)
				showList(make("p", { class: "fg-notice" }, error.message));
		}
	}

	let loads = 0;
	async function load() {
		const number = ++loads;
		document.documentElement.dataset.ready = "0";
		try {
			await offer();
			const told = await ask("api/timeline?" + query(current(), null, { by: state.by }));
			if (number !== loads)
				return;
			timeline = told;
			chart.show(told, current().event);
			legend.replaceChildren(pageLists.legend(told, state.by, { light: i => chart.light(i),
				narrow: value => set({ selector: pageText.narrow(state.selector, state.by, value) }) }));
			say(told.damaged ? told.damaged + " blocks of the store cannot be read: samples are missing" :
				told.lines.length ? "" : "No samples of that in this time.");
			await showView();
		} catch (error) {
			if (number === loads)
				say(error.message);
		}
		document.documentElement.dataset.ready = "1";
	}

	/* Labels to choose from, of all that is in the time. */
	async function offer() {
		const words = query({ selector: "", event: "", from: state.from, to: state.to }, null);
		if (words === offered)
			return;
		offered = words;
		try {
			const told = await ask("api/labels?" + words);
			const events = (told.labels.event || []).map(e => e[0]);
			mainEvent = events.find(e => /^(cpu|task-clock|cycles)/.test(e)) || events[0] || "";
			bar.offer(told.labels, current());
		} catch (error) {
			offered = "";
		}
	}

	const LOADS = ["from", "to", "selector", "event", "by"]; /* what changes the chart */

	function render(before) {
		bar.reflect(current());
		chart.setRanges({ a: rangeOf(state.a), b: rangeOf(state.b) });
		if (!before || LOADS.some(key => before[key] !== state[key]))
			return load();
		return showView();
	}

	function set(changes) {
		const before = state;
		state = Object.assign({}, state, changes);
		if (pageState.write(state) === pageState.write(before))
			return;
		history.pushState(null, "", "#" + pageState.write(state));
		render(before);
	}

	function absolute() {
		const range = whole();
		return range ? { from: "@" + Math.floor(range.from / 1e9), to: "@" + Math.ceil(range.to / 1e9) } :
			{};
	}

	async function copyLink() {
		const link = location.href.split("#")[0] + "#" +
			pageState.write(Object.assign({}, state, absolute()));
		try {
			await navigator.clipboard.writeText(link);
			say("The link was copied.");
		} catch (error) {
			say(link);
		}
	}

	function shift(direction) {
		const range = whole();
		if (!range)
			return;
		const by = direction * Math.round((range.to - range.from) / 2e9);
		set({ from: "@" + (Math.round(range.from / 1e9) + by),
			to: "@" + (Math.round(range.to / 1e9) + by) });
	}

	function zoom() {
		const a = rangeOf(state.a);
		if (a)
			set({ from: "@" + a.from / 1e9, to: "@" + a.to / 1e9, a: "" });
	}

	function pick(side, range) {
		const changes = { [side]: textOf(range) };
		if (side === "b" && range)
			Object.assign(changes, { view: "diff", base: "b", inner: "" });
		set(changes);
		if (!range) /* a drag that was given up is drawn no more */
			chart.setRanges({ a: rangeOf(state.a), b: rangeOf(state.b) });
	}

	function reload() {
		frame.again();
		offered = "";
		load();
	}

	const KEYS = { "[": () => shift(-1), "]": () => shift(1), "z": zoom, "r": reload,
		"/": () => document.getElementById("sp-selector").focus(), "?": () => say(HELP) };

	function listen() {
		window.addEventListener("keydown", event => {
			const typing = ["INPUT", "SELECT"].includes(event.target.tagName);
			if (typing || event.ctrlKey || event.metaKey || event.altKey)
				return;
			const view = pageBar.VIEWS[Number(event.key) - 1];
			const action = KEYS[event.key] || (view && (() => set({ view: view[0], inner: "" })));
			if (!action)
				return;
			action();
			event.preventDefault();
		});
		const follow = () => {
			const before = state;
			state = pageState.read(location.hash.slice(1));
			if (pageState.write(before) !== pageState.write(state))
				render(before);
		};
		window.addEventListener("popstate", follow);
		window.addEventListener("hashchange", follow);
	}

	async function about() {
		try {
			const told = await ask("api/about");
			document.getElementById("sp-about").textContent = told.sees_all ? told.tenant :
				"You see your own processes. Others' are one frame; code of the kernel is hidden.";
		} catch (error) {
			return; /* the next question says what is wrong */
		}
	}

	function open() {
		const root = document.getElementById("page"), on = { set, shift, zoom, reload, link: copyLink };
		bar = pageBar.create(on);
		views = pageBar.createViews(on);
		hover = make("span", { id: "sp-hover", class: "sp-hover", "aria-live": "off" });
		status = make("p", { id: "sp-status", class: "fg-notice", role: "status" });
		status.hidden = true;
		const over = make("div", { class: "sp-over" }), body = make("div", { class: "sp-body" });
		legend = make("div", { class: "sp-side" });
		list = make("div", { id: "sp-list", class: "sp-list" });
		list.hidden = true;
		const chartHost = make("div", { class: "sp-chart" });
		over.append(chartHost, legend);
		root.append(bar.box, over, make("div", { class: "sp-line" }, hover,
			make("span", { id: "sp-about" })), status, views.box, body);
		chart = new pageChart.Chart(chartHost, { pick, hover: text => { hover.textContent = text; } });
		frame = pageFrame.create(body, inner => {
			if (state.inner === inner)
				return;
			state = Object.assign({}, state, { inner });
			history.replaceState(null, "", "#" + pageState.write(state));
		});
		body.append(list);
		listen();
		about();
		render(null);
		window.cupel = { state: () => state, chart, frame: frame.element, timeline: () => timeline };
	}

	return { open };
})();
page.open();
