/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables: values of the label beside the chart, functions and threads over time, what has no name,
 * and files. */
const pageLists = (() => {
	const { make, button, amount, percent } = pageText;
	const FILES = [["pprof", "pprof"], ["folded", "folded stacks"], ["svg", "SVG flame graph"],
		["html", "flame graph as one page"], ["speedscope", "speedscope"],
		["firefox", "Firefox profiler"], ["chrome_trace", "Chrome trace"],
		["callgrind", "callgrind"], ["json", "JSON"]];

	/* The line's own scale. */
	function sparkline(weights) {
		const NS = "http://www.w3.org/2000/svg", most = Math.max(...weights, 1e-9);
		const svg = document.createElementNS(NS, "svg"), line = document.createElementNS(NS, "path");
		const width = 160, height = 18, step = width / weights.length;
		const y = weight => (height - 1 - (height - 2) * weight / most).toFixed(1);
		svg.setAttribute("viewBox", "0 0 " + width + " " + height);
		svg.setAttribute("class", "sp-spark");
		svg.setAttribute("aria-hidden", "true");
		line.setAttribute("d", weights.map((w, i) => (i ? "L" : "M") +
			((i + 0.5) * step).toFixed(1) + " " + y(w)).join(""));
		svg.append(line);
		return svg;
	}

	/* heads: words; rows: [[cells]], a cell is text or an element. */
	function table(label, heads, rows) {
		const head = make("tr", {}, ...heads.map(text => make("th", { scope: "col" }, text)));
		return make("table", { class: "sp-table", "aria-label": label }, make("thead", {}, head),
			make("tbody", {}, ...rows.map(cells => make("tr", {}, ...cells.map((cell, i) =>
				make("td", i ? {} : { class: "name" }, cell))))));
	}

	/* on: { narrow(value), light(index) } */
	function legend(data, by, on) {
		const total = data.lines.reduce((sum, line) => sum + line.total, 0);
		return make("ul", { class: "sp-legend" }, ...data.lines.map((line, i) => {
			const name = line.others ? line.others + " others" : line.value || "(no " + by + ")";
			const swatch = make("span", { class: "swatch sp-swatch" });
			swatch.style.background = pageChart.colorOf(line, i);
			const item = button("", line.others ? "the smaller ones together" :
				"only " + name, () => line.others || on.narrow(line.value));
			item.append(swatch, make("span", { class: "sp-name" }, name),
				make("span", { class: "sp-amount" }, percent(line.total, total)));
			for (const [event, index] of [["mouseenter", i], ["mouseleave", -1], ["focus", i],
				["blur", -1]])
				item.addEventListener(event, () => on.light(index));
			return make("li", {}, item);
		}));
	}

	/* Rows of over_time_json(); pick(name) when one is chosen. */
	function functions(data, heading, pick) {
		return table(heading, [heading, "amount", "share", "over time, each on its own scale"],
			data.rows.map(row => [button(row.name || "-", row.name, () => pick(row.name)),
				amount(row.total, data.unit), percent(row.total, data.total),
				sparkline(row.weights)]));
	}

	/* Lines of a timeline, in the same form. */
	function lines(data, heading, pick) {
		const total = data.lines.reduce((sum, line) => sum + line.total, 0);
		return functions({ unit: data.unit, total, rows: data.lines.map(line => ({
			name: line.others ? line.others + " others" : line.value, total: line.total,
			weights: line.weights })) }, heading, pick);
	}

	function unknown(data) {
		const notes = [];
		if (data.lost)
			notes.push(make("p", { class: "fg-notice" }, data.lost +
				" samples were lost while recording."));
		if (data.damage)
			notes.push(make("p", { class: "fg-notice" }, data.damage));
		if (!data.modules.length)
			return make("div", {}, ...notes, make("p", {}, "Every frame has a name."));
		return make("div", {}, ...notes, make("p", {}, "Frames without a name, by file. The share is " +
			"of all frames, each counted once for each sample."),
			table("unknown code", ["file", "share", "reason", "what helps"], data.modules.map(m =>
				[m.module || "(not in any file)", percent(m.share, 1), m.problem || "not known",
					m.problem ? m.advice : ""])),
			make("p", {}, "Names are looked up when a view is made: after debug information was " +
				"installed, load the page again. cupel query learn keeps them in the store."));
	}

	/* query: of the range, without format. */
	function files(query) {
		return make("div", {}, make("p", {}, "The selected samples as a file:"),
			make("ul", { class: "sp-files" }, ...FILES.map(([name, text]) => make("li", {},
				make("a", { href: "export?" + query + "&format=" + name, download: "",
					id: "sp-file-" + name }, text)))));
	}

	return { legend, functions, lines, unknown, files };
})();
