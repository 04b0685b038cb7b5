/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of heat_map.c: the grid above, the flame graph of the range A below; with a range B, too,
 * what B has more or less than A. Ranges are seconds since the first sample; they and all choices
 * are part of the address. */
const heatMapPage = (() => {
	const { make } = flameChrome;

	/* "1.25,3.5" or, in lanes, "1.25,3.5,cpu,0,2" → range; null if empty or invalid. */
	function rangeFrom(text, samples) {
		const words = text.split(","), [from, to] = words.map(Number), kind = words[2];
		const [first, last] = words.slice(3).map(Number), known = samples.lanes[kind];
		return to > from && to > 0 && from <= samples.end ? { from, to, lanes: known &&
			first >= 0 && first <= last && last < known.names.length ? { kind, first, last } :
			null } : null;
	}

	function textOf(range) {
		const { kind, first, last } = (range && range.lanes) || {};
		return range ? range.from.toFixed(4) + "," + range.to.toFixed(4) +
			(kind ? "," + [kind, first, last].join(",") : "") : "";
	}

	/* The lanes of a range as text. */
	function lanesOf(range, samples) {
		const { kind, first, last } = (range && range.lanes) || {};
		const name = i => samples.lanes[kind].names[i];
		return !kind ? "" : first === last ? name(first) : name(first) + " … " + name(last);
	}

	function controls(view, samples, state) {
		const box = make("div", { class: "hm-bar" }), inputs = {}, lanes = {};
		const kinds = ["cpu", "thread"].filter(kind => samples.lanes[kind].names.length > 1);
		const field = (id, label, key, index) => {
			const input = make("input", { id, type: "number", step: "any", min: "0",
				"aria-label": label });
			input.addEventListener("change", () => {
				const range = state.ranges[key] || { from: 0, to: state.end };
				const next = Object.assign({}, range, { [index]: Number(input.value) });
				view.setOwn(key, textOf(next));
			});
			inputs[key + index] = input;
			return input;
		};
		const side = (name, key, from, to) => {
			const clear = make("button", { type: "button", id: "hm-clear-" + key,
				title: "excluding this range" }, "×");
			clear.addEventListener("click", () => view.setOwn(key, ""));
			lanes[key] = make("span", { class: "hm-lanes" });
			return make("span", { class: "hm-range hm-" + key }, name + " ",
				field(from, name + " from, seconds", key, "from"), "–",
				field(to, name + " to, seconds", key, "to"), " s ", lanes[key], clear);
		};
		const choice = (id, label, key, words) => {
			const select = make("select", { id, "aria-label": label });
			for (const [value, text] of words)
				select.append(make("option", { value }, text));
			select.addEventListener("change", () => view.setOwn(key, select.value));
			inputs[key] = select;
			return make("label", {}, label + " ", select);
		};
		box.append(side("A", "range", "hm-a-from", "hm-a-to"), side("B", "base", "hm-b-from",
			"hm-b-to"),
			...(kinds.length ? [choice("hm-lanes", "Rows", "lanes", [["", "subdivide columns"]]
				.concat(kinds.map(kind => [kind, kind === "cpu" ? "CPUs" : "threads"])))] : []),
			choice("hm-column", "Column", "column", [["", "auto"]].concat(
				[...new Set(heatMapGrid.FINE.concat(heatMapGrid.SIZES))].sort((a, b) => a - b)
					.filter(s => state.end / s <= 4000).map(s => [String(s), s + " s"]))),
			choice("hm-rows", "Rows", "rows", ["10", "20", "50", "100"].map(n => [n, n])),
			make("span", { class: "hm-hint" }, "drag: range A · Shift+drag: range B, to compare · wheel: zoom"),
			make("span", { id: "hm-status", class: "hm-status", "aria-live": "polite" }));
		return { box, reflect(own) {
			for (const key of ["range", "base"]) {
				const range = rangeFrom(own[key], samples);
				lanes[key].textContent = lanesOf(range, samples) + " ";
				inputs[key + "from"].value = range ? +range.from.toFixed(4) : "";
				inputs[key + "to"].value = range ? +range.to.toFixed(4) : "";
			}
			inputs.column.value = own.column;
			inputs.rows.value = own.rows;
			inputs.rows.parentNode.hidden = !!own.lanes || !!state.base.info.bands;
			if (inputs.lanes)
				inputs.lanes.value = own.lanes;
		} };
	}

	/* Hooks of the viewer: weights are those of the ranges; with two, B is compared with A. */
	function makeHooks(base, samples, state) {
		let compared = null;
		const plain = {}, known = new Map();
		const hooks = diffView.hooks(tree => {
			if (!known.has(tree)) {
				known.clear();
				compared = compared || heatMapSamples.compare(samples, base, state.ranges.range,
					state.ranges.base, base.info.rate);
				known.set(tree, tree === base ? compared : diffTest.typical(tree,
					{ effective: compared.effective, spread: 1, rate: base.info.rate }));
			}
			return known.get(tree);
		}, ["A", "B"]);
		const two = () => !!state.ranges.base && !!state.ranges.range;
		for (const name of ["look", "mark", "weight", "table"])
			plain[name] = hooks[name];
		let selected = "";
		hooks.prepare = (tree, own) => {
			const key = own.range + "/" + own.base;
			state.ranges = { range: rangeFrom(own.range, samples),
				base: rangeFrom(own.base, samples) };
			if (key !== selected) {
				selected = key;
				compared = null;
				known.clear();
				const all = { from: 0, to: samples.end + 1 };
				const a = state.ranges.range, b = state.ranges.base;
				const first = heatMapSamples.weights(samples, base.count, a || b || all);
				flameData.setWeights(base, two() ? heatMapSamples.weights(samples, base.count, b) : first,
					two() ? first : null);
			}
			for (const name of Object.keys(plain)) /* one range is an ordinary flame graph */
				hooks[name] = two() ? plain[name] : undefined;
		};
		const { tooltip } = hooks;
		hooks.tooltip = (node, tree) => two() ? tooltip(node, tree) : [];
		return { hooks, two };
	}

	async function open() {
		const page = document.getElementById("page");
		if (typeof DecompressionStream === "undefined") {
			page.textContent =
				"This browser cannot decompress the data: DecompressionStream is missing.";
			return;
		}
		const [base, samples] = await Promise.all([
			flameData.unpack(document.getElementById("flame-data").textContent),
			heatMapSamples.unpack(document.getElementById("samples").textContent)]);
		const state = { ranges: { range: null, base: null }, end: samples.end, base };
		if (base.info.bands)
			for (const kind of ["cpu", "thread"])
				samples.lanes[kind] = { names: [], of: samples.lanes[kind].of };
		const { hooks, two } = makeHooks(base, samples, state);
		let parts = null;
		/* the part of the time in sight changes no tree */
		hooks.ofTree = own => Object.assign({}, own, { time: "" });
		hooks.shown = own => {
			if (parts)
				reflect(parts, own, state, two());
		};
		const view = flameHtml.open(page, base, hooks);
		parts = build(page, view, samples, state);
		reflect(parts, view.state().own, state, two());
		view.redraw();
		window.cupel = { view, grid: parts.grid };
		document.documentElement.dataset.ready = "1";
	}

	function build(page, view, samples, state) {
		const bar = controls(view, samples, state), host = make("div", { class: "hm-host" }),
			scale = make("div", { id: "hm-scale", class: "hm-scale" });
		const compare = diffView.bar(view, ["A", "B"]);
		page.querySelector(".fg-head").after(host, scale, bar.box, compare.box);
		const status = bar.box.querySelector("#hm-status"), info = view.tree().info;
		const Grid = info.bands ? heatMapBands.Bands : heatMapGrid.Grid;
		const grid = new Grid(host, samples, {
			tree: state.base,
			scaled: () => grid.legend ? scale.replaceChildren(...grid.legend()) :
				scaleOf(scale, grid, info),
			say: text => {
				status.textContent = text;
			},
			pick: (range, second) => view.setOwn(second ? "base" : "range", textOf(range)),
			hover: (text, heat) => {
				status.textContent = text + flameText.amount(heat, info);
			},
			zoomed: (text, what) => view.setOwn("time", text, what === "steps" ? "axis" : "time"),
		});
		bar.box.prepend(grid.allTime());
		return { bar, compare, grid, size: "", kinds: ["cpu", "thread"].filter(kind =>
			samples.lanes[kind].names.length > 1) };
	}

	/* Counts of samples are whole. */
	function scaleOf(scale, grid, info) {
		const most = grid.most(), part = i => info.countname === "samples" ? Math.ceil(i * most / 4) :
			i * most / 4;
		scale.replaceChildren(...heatScale.legend([...new Set([1, 2, 3, 4].map(part))],
			value => value / most, value => flameText.amount(value, info)), " in a cell");
	}

	function reflect(parts, own, state, two) {
		const lanes = parts.kinds.includes(own.lanes) ? own.lanes : "";
		const column = Number(own.column) || 0;
		const rows = Math.min(Math.max(Number(own.rows) || 50, 1), 1000);
		const size = [column, rows, lanes].join("/");
		if (size !== parts.size) {
			parts.size = size;
			parts.grid.layout(column, rows, lanes);
		}
		parts.grid.showTime(own.time);
		parts.grid.setRanges([state.ranges.range, state.ranges.base]);
		parts.bar.reflect(own);
		parts.compare.reflect(own);
		parts.compare.box.hidden = !two;
	}

	return { open };
})();
flameHtml.whileLoading(heatMapPage.open);
