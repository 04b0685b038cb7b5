/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands around the picture: the bar of buttons, the search box, the table of functions, the
 * tooltip, the menu of a frame, and the text for screen readers. HTML in both documents; it knows
 * no tree, only its inputs, and calls `on` for user actions. */
const flameChrome = (() => {
	const HTML = "http://www.w3.org/1999/xhtml";
	const ROWS = 500; /* of the table; the rest is counted */

	function make(tag, attributes, ...children) {
		const element = document.createElementNS(HTML, tag);
		for (const [name, value] of Object.entries(attributes || {}))
			element.setAttribute(name, value);
		element.append(...children);
		return element;
	}

	function button(id, text, title, press) {
		const made = make("button", { id, type: "button", title }, text);
		made.addEventListener("click", press);
		return made;
	}

	function buildBar(on) {
		const find = make("input", { id: "find", type: "search", spellcheck: "false",
			placeholder: "search: regular expressions, separated by ;",
			"aria-label": "search for functions" });
		find.addEventListener("input", () => on.find(find.value));
		const items = {
			unzoom: button("fg-unzoom", "Reset zoom", "show everything (Esc)", on.unzoom),
			undo: button("fg-undo", "Undo", "u", () => on.undo(true)),
			redo: button("fg-redo", "Redo", "U", () => on.undo(false)),
			inverted: button("fg-inverted", "Icicle", "root at the top (i)",
				() => on.toggle("inverted")),
			reverse: button("fg-reverse", "Leaf first", "callers above callees (r)",
				() => on.toggle("reverse")),
			sort: button("fg-sort", "By width", "widest first, not by name (o)",
				() => on.sort("weight")),
			time: button("fg-time", "By time", "by first appearance, not by name (o)",
				() => on.sort("time")),
			collapse: button("fg-collapse", "Merge recursion",
				"merge direct recursion into one frame (c)", () => on.toggle("collapse")),
			table: button("fg-table", "Functions", "table of functions (t)",
				() => on.toggle("table")),
			find,
			ignoreCase: button("fg-ignorecase", "ic", "ignore case (Ctrl-I)",
				() => on.toggle("ignoreCase")),
			back: button("fg-back", "‹", "previous match (N)", () => on.match(-1)),
			next: button("fg-next", "›", "next match (n)", () => on.match(1)),
			help: button("fg-help", "?", "keys (?)", on.help),
		};
		const bar = make("div", { class: "fg-bar", role: "toolbar", "aria-label": "flame graph" },
			...Object.values(items));
		return { bar, items };
	}

	/* What widths and colours mean: menus, of which those with a choice are shown, and a legend. */
	function buildMeaning(on) {
		const row = make("div", { class: "fg-meaning", role: "toolbar",
			"aria-label": "shown event" });
		const menus = {}, legend = make("span", { class: "fg-legend", id: "fg-legend" });
		for (const [key, text, title] of [["color", "Colours ", "colour scheme (p)"],
			["event", "Event ", "measure of widths"], ["thread", "Of ", "threads"]]) {
			const menu = make("select", { id: "fg-" + key, title });
			menu.addEventListener("change", () => on.choose(key, menu.value));
			menus[key] = menu;
			row.append(make("label", {}, text, menu));
		}
		row.append(legend);
		return { row, menus, legend };
	}

	/* choices: { key: [{ value, text }] } */
	function fillChoices({ meaning }, choices) {
		for (const [key, menu] of Object.entries(meaning.menus)) {
			const list = choices[key] || [];
			menu.replaceChildren(...list.map(c => make("option", { value: c.value }, c.text)));
			menu.parentNode.hidden = list.length < 2;
		}
	}

	/* parts: as flameText.fill() takes them. */
	function showLegend({ meaning }, parts) {
		flameText.fill(meaning.legend, parts);
		meaning.row.hidden = !parts.length &&
			Object.values(meaning.menus).every(menu => menu.parentNode.hidden);
	}

	function build(host, on) {
		const { bar, items } = buildBar(on), meaning = buildMeaning(on);
		const steps = make("div", { class: "fg-steps" });
		const notice = make("div", { class: "fg-notice", id: "fg-notice", role: "status" });
		const panel = make("div", { class: "fg-panel", id: "fg-panel" });
		const tip = make("div", { class: "fg-tip", id: "tip" });
		const menu = make("div", { class: "fg-menu", id: "fg-menu", role: "menu" });
		const live = make("div", { class: "fg-unseen", "aria-live": "polite" });
		host.append(bar, meaning.row, steps, notice, panel, tip, menu, live);
		for (const hidden of [panel, tip, menu, steps, notice])
			hidden.hidden = true;
		const chrome = { bar, items, host, steps, panel, tip, menu, meaning };
		return Object.assign(chrome, {
			notice: text => {
				notice.textContent = text;
				notice.hidden = !text;
			},
			announce: text => { live.textContent = text; },
			showTip: (lines, event) => showTip(chrome, lines, event),
			hideTip: () => { tip.hidden = true; },
			openMenu: (rows, place) => openMenu(chrome, rows, place),
			closeMenu: () => { menu.hidden = true; },
			fillSteps: list => fillSteps(chrome, list, on),
			fillTable: data => fillTable(chrome, data, on),
			fillChoices: choices => fillChoices(chrome, choices),
			showLegend: parts => showLegend(chrome, parts),
			reflect: state => reflect(chrome, state),
		});
	}

	/* Near the pointer, inside the window. Lines: [{ text, soft }]. */
	function showTip({ tip, host }, lines, event) {
		tip.replaceChildren(...lines.map(l => make("div", l.soft ? { class: "soft" } : {}, l.text)));
		tip.hidden = false;
		placeAt(tip, host, event.clientX, event.clientY, 14);
	}

	function placeAt(element, host, clientX, clientY, away) {
		const around = host.getBoundingClientRect(), box = element.getBoundingClientRect();
		let x = clientX + away, y = clientY + away;
		if (x + box.width > window.innerWidth - 4)
			x = Math.max(clientX - box.width - away, 4);
		if (y + box.height > window.innerHeight - 4)
			y = Math.max(clientY - box.height - away, 4);
		element.style.left = x - around.left + "px";
		element.style.top = y - around.top + "px";
	}

	/* rows: [{ text, run }] */
	function openMenu({ menu, host }, rows, place) {
		menu.replaceChildren(...rows.map(row => {
			const item = make("button", { type: "button", role: "menuitem" }, row.text);
			item.addEventListener("click", () => {
				menu.hidden = true;
				row.run();
			});
			return item;
		}));
		menu.hidden = false;
		placeAt(menu, host, place.clientX, place.clientY, 2);
		menu.firstChild.focus();
	}

	/* What was done to the tree, each with a way back. list: [{ text }] */
	function fillSteps({ steps }, list, on) {
		steps.replaceChildren(...list.map((text, i) => {
			const item = make("button", { type: "button", title: "undo this" }, text + " ×");
			item.addEventListener("click", () => on.removeStep(i));
			return item;
		}));
		steps.hidden = !list.length;
	}

	/* A row of the table of functions: what can be done with a frame can be done there. */
	function listenRow(line, name, on) {
		const menu = (event, place) => {
			event.preventDefault();
			event.stopPropagation();
			on.rowMenu(name, place);
		};
		line.addEventListener("click", () => on.pick(name));
		line.addEventListener("contextmenu", event => menu(event, event));
		line.addEventListener("keydown", event => {
			const box = line.getBoundingClientRect();
			if (event.key === "Enter")
				on.pick(name);
			else if (event.key === "m")
				menu(event, { clientX: box.left + 20, clientY: box.bottom });
		});
	}

	/* A row of cells, or of one text. heat: 0 to 1 */
	function tableRow(row, heat, { code, heads, plain }, on) {
		const line = make("tr", { tabindex: 0 });
		if (typeof row === "string") {
			line.append(make("td", { class: "part", colspan: heads.length }, row));
			return line;
		}
		row.forEach((text, i) => line.append(make("td", i === code ? { class: "code" } :
			i ? {} : { class: "name", title: text }, text)));
		if (heat > 0)
			line.style.background = "rgba(230, 90, 20, " + 0.4 * Math.sqrt(heat) + ")";
		if (!plain)
			listenRow(line, row[0], on);
		return line;
	}

	/* data: { rows: [[name, cells…] or text], heads: [words], sorted: index, ascending, note,
	 * plain: rows do nothing, code: index of a column of code, heat: by row } */
	function fillTable({ panel }, data, on) {
		const head = make("tr");
		data.heads.forEach((text, i) => {
			const cell = make("th", { scope: "col", class: i === data.code ? "code" : "",
				"aria-sort": i !== data.sorted ? "none" : data.ascending ? "ascending" : "descending" });
			cell.append(button("", text, "sort by this column", () => on.order(i)));
			head.append(cell);
		});
		const body = make("tbody");
		data.rows.slice(0, ROWS).forEach((row, i) =>
			body.append(tableRow(row, data.heat && data.heat[i], data, on)));
		const more = data.rows.length - ROWS;
		const note = (data.note || data.rows.length + " functions") +
			(more > 0 ? ", the first " + ROWS + " shown" : "");
		panel.classList.toggle("wide", data.code >= 0);
		panel.replaceChildren(make("table", { "aria-label": "functions" },
			make("caption", {}, note), make("thead", {}, head), body));
	}

	/* Buttons look as the state is. */
	function reflect({ items, panel, bar, meaning }, state) {
		for (const name of ["inverted", "reverse", "collapse", "table", "ignoreCase"])
			items[name].setAttribute("aria-pressed", state[name]);
		items.sort.setAttribute("aria-pressed", state.sort === "weight");
		items.time.setAttribute("aria-pressed", state.sort === "time");
		items.time.hidden = !state.times;
		items.unzoom.disabled = !state.zoom.length;
		items.undo.disabled = !state.canUndo;
		items.redo.disabled = !state.canRedo;
		items.back.disabled = items.next.disabled = !state.find;
		items.find.classList.toggle("wrong", state.wrong);
		if (items.find.value !== state.find && document.activeElement !== items.find)
			items.find.value = state.find;
		panel.hidden = !state.table && !state.lines;
		for (const [key, menu] of Object.entries(meaning.menus)) {
			menu.value = state[key];
			if (menu.selectedIndex < 0) /* of a link of another picture */
				menu.selectedIndex = 0;
		}
		items.reverse.disabled = !!state.sandwich;
		bar.classList.toggle("found", !!state.find);
	}

	return { build, make };
})();
