/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The viewer: a state, the tree for that state, and the text about it. It draws on any
 * surface (flame_canvas.js, flame_svg.js) that has
 *
 *   width()      pixels for the frames
 *   draw(scene)  { boxes, scale: pixels per weight, rows, inverted, outlined: [box], cutLeft,
 *                  look(box): { fill, dark, italic, faded, hatched }, label(box): text,
 *                  bars(box): [{ color, share }], a line at its upper edge }
 *   boxAt(event), placeOf(box), reveal(box), resize()
 *   keeps(inverted)   optional: whether the first picture came with the document, and stays
 *
 *     const view = flameView.create({ tree, surface, chrome host, hooks… });
 *     view.setWeights(self, other);   // by node of the packed tree: another selection, same stacks
 *     view.redraw();                  // after a hook would say something else
 *
 * Hooks, all optional, for views that show more than one profile's weights:
 *   look(node, tree)   { fill: "#rrggbb", dark, hatched } or null for the colour of the label
 *   tell(node, tree)   [lines] that the tooltip output, too
 *   prepare(tree, own) before that, to the packed tree: may give it other weights
 *                      (flameData.setWeights())
 *   made(tree, own)    a tree was made, or what the view itself remembers has changed (state.own in
 *                      flame_state.js): may set tree.drawn
 *   ofTree(own)        what of that the tree is made of; without it, all
 *   shown(own)         the state is a new one, also when the tree is not
 *   mark(node, tree)   text in front of the name in the picture
 *   weight(node, tree)  text in place of weight and shares in the tooltip
 *   ownColors          true: colours always mean the view's own
 *   table(tree, zoom, hits)  { heads, rows: [[name, cells…]] } in place of the table's, widest first;
 *                      hits: null or by label
 *   origin: trees made of the packed one (reversed, without some frames) have no columns; the
 *   packed one is the tree for which tree === view.tree(). */
const flameView = (() => {
	const HIT_COLORS = ["#e600e6", "#00beeb", "#ffd600", "#3ccd5a", "#ff786e"];
	const LEAST_PX = 0.5; /* narrower boxes become one */
	const { percent } = flameText;

	function create({ tree: base, surface, host, hooks = {}, output = {}, chromeOn = {} }) {
		const info = base.info, labels = base.labels;
		const history = flameState.history(200);
		const view = { order: { column: 1 } };
		const parts = flameParts.create(base), tooltip = flameTooltip.create(() => ({ tree, zoom, home, state,
			hooks }));
		const { whole, zoomWord, attributesOf } = tooltip, plain = () =>
			(!base.other || info.ratio) && !hooks.ownColors;
		let state = flameState.read(location.hash.slice(1) || location.search.slice(1), info);
		let tree = base, forward = base, madeFor = "", zoom = 0, scene = null, hidden = 0, home = 0;
		let terms = [], hits = new Uint8Array(labels.count), found = [], foundAt = -1;
		let focus = -1, hovered = -1, tapped = -1;

		/* The tree for the state; rebuilt only if necessary. */
		function derive() {
			const key = JSON.stringify([state.steps, state.collapse, state.reverse, state.sort,
				hooks.ofTree ? hooks.ofTree(state.own) : state.own, state.sandwich, state.event,
				state.thread, state.color]);
			if (key === madeFor)
				return;
			madeFor = key;
			if (parts)
				parts.prepare(state);
			if (hooks.prepare)
				hooks.prepare(base, state.own);
			forward = flameModel.forward(base, state);
			tree = (state.sandwich && flameSandwich.make(forward, state)) ||
				flameModel.arrange(forward, state);
			if (hooks.made)
				hooks.made(tree, state.own);
			if (tree.callers)
				flameSandwich.fit(tree);
			home = flameModel.home(tree);
			hidden = 0;
			for (const node of tree.smaller.keys())
				hidden += tree.drawn[node];
			focus = -1;
		}

		function matchNames() {
			terms = flameText.terms(state.find, state.ignoreCase);
			hits = new Uint8Array(labels.count);
			for (let i = 0; i < labels.count; i++) {
				if (labels.kind[i] === flameData.KIND.ALL || labels.kind[i] === flameData.KIND.SMALLER)
					continue;
				const at = terms.findIndex(t => t.regex.test(labels.name[i]));
				hits[i] = at + 1;
			}
		}

		/* Labels of one term alone: a name may match several. */
		function hitsOf(term) {
			return Uint8Array.from(labels.name, (name, i) =>
				labels.kind[i] !== flameData.KIND.ALL && labels.kind[i] !== flameData.KIND.SMALLER &&
				term.regex.test(name) ? 1 : 0);
		}

		/* Parts of a line: [{ text, color: of the term's frames }]. */
		function matchedParts() {
			if (!terms.length)
				return [];
			const sum = set => zoom === 1 && home ?
				flameSandwich.matched(forward, state.sandwich, set) :
				flameModel.matched(tree, set, zoom);
			const share = set => percent(sum(set), tree.drawn[zoom]);
			const parts = [{ text: "Matched: " + share(hits) }];
			if (terms.length > 1) {
				terms.forEach((t, i) => parts.push({ text: i ? ", " : " (" },
					{ text: t.term + " " + share(hitsOf(t)), color: hitColor(i + 1) }));
				parts.push({ text: ")" });
			}
			if (zoom)
				parts.push({ text: " of " + zoomWord() + ", " +
					percent(flameModel.matched(home ? forward : tree, hits, 0), whole()) +
					" of all" });
			if (hidden)
				parts.push({ text: "; " + percent(hidden, whole()) +
					" is in frames too small to search" });
			return parts;
		}

		function nameOf(i) {
			const { node, smaller } = scene.boxes;
			return smaller[i] ? "(" + smaller[i] + " smaller)" :
				((hooks.mark && hooks.mark(node[i], tree)) || "") +
				(labels.name[tree.label[node[i]]] || "(all)");
		}

		function look(i) {
			const { node, smaller } = scene.boxes, label = tree.label[node[i]];
			if (smaller[i])
				return { fill: labels.color[labels.kind.indexOf(flameData.KIND.SMALLER)] || "#ccc",
					dark: false, italic: true, faded: false };
			const faded = node[i] < zoom && zoom < tree.end[node[i]];
			const hit = hits[label];
			if (hit)
				return { fill: hitColor(hit), dark: false, hit: true, italic: labels.inlined[label], faded };
			const own = (hooks.look && hooks.look(node[i], tree)) ||
				flamePalette.look(node[i], tree, forward, state.color) ||
				flameChange.look(node[i], tree);
			return { fill: own ? own.fill : labels.color[label],
				dark: own ? own.dark : labels.dark[label], hatched: own && own.hatched,
				texture: own && own.texture, paint: own && own.paint,
				italic: labels.inlined[label], faded };
		}

		function hitColor(hit) {
			return hit === 1 && info.searchcolor ? info.searchcolor :
				HIT_COLORS[(hit - 1) % HIT_COLORS.length];
		}

		function draw() {
			const width = surface.width(), drawn = tree.drawn[zoom] || 1;
			const span = zoom ? drawn : whole() || 1;
			const kept = tree === base && !zoom && (!parts || parts.isOriginal()) && surface.keeps &&
				surface.keeps(state.inverted);
			const boxes = flameModel.boxes(tree, zoom,
				kept ? info.geometry.least : span / width * LEAST_PX);
			let rows = 0;
			if (!zoom)
				boxes.width[0] = span;
			for (const row of boxes.row)
				rows = Math.max(rows, row + 1);
			scene = { boxes, kept, scale: width / span, rows, inverted: state.inverted, look,
				label: nameOf, outlined: [], cutLeft: !!info.cutleft,
				bars: i => info.ratio && info.ratio.bars && !boxes.smaller[i] ?
					info.ratio.bars(tree, boxes.node[i]) : [],
				stroke: info.strokecolor };
			outline();
			surface.draw(scene);
		}

		function outline() {
			scene.outlined = [];
			scene.boxes.node.forEach((node, i) => {
				if (!scene.boxes.smaller[i] && (node === focus || (home && node === home)))
					scene.outlined.push(i);
			});
		}

		function show() {
			derive();
			if (hooks.shown)
				hooks.shown(state.own);
			zoom = flameModel.nodeAt(tree, state.zoom, state.nth);
			matchNames();
			showMeaning();
			draw();
			chrome.reflect(Object.assign({ canUndo: history.can(true), canRedo: history.can(false),
				wrong: terms.some(t => t.wrong), times: !!base.first }, state, { lines: linesOf() }));
			chrome.fillSteps(state.steps.map(s => s.op + " " + s.name).concat(state.sandwich ?
				"callers and callees of " + state.sandwich : []));
			if (state.table || linesOf())
				fillTable();
			const matched = matchedParts();
			output.matched(matched);
			chrome.notice(tooltip.problems(terms, parts).join(" · "));
			chrome.announce(matched.map(part => part.text).join(""));
			output.zoomed(zoom);
		}

		/* All changes go through here: change(state) alters a copy. */
		function commit(what, change) {
			const next = Object.assign({}, state, { steps: state.steps.slice() });
			change(next);
			state = next;
			found = [];
			foundAt = -1;
			const text = flameState.write(state, info);
			flameState.remember(text, history.push(text, what));
			show();
		}

		function undo(back) {
			const text = history.step(back);
			if (text === null)
				return;
			state = flameState.read(text, info);
			flameState.remember(text, false);
			show();
		}

		function zoomTo(node) {
			commit("zoom", s => Object.assign(s, flameModel.zoomOf(tree, node)));
		}

		/* The zoom ends where frames are no longer what they were. */
		function toggle(name) {
			commit(name, s => {
				s[name] = !s[name];
				if (name === "reverse")
					s.zoom = [];
				if (name === "table")
					s.lines = "";
			});
		}

		/* By that, or by name again; without, the next order. */
		function sort(by) {
			const orders = ["name", "weight"].concat(base.first ? "time" : []);
			commit("sort", s => {
				s.sort = !by ? orders[(orders.indexOf(s.sort) + 1) % orders.length] :
					s.sort === by ? "name" : by;
			});
		}

		function addStep(op, name) {
			commit(op, s => {
				s.steps.push({ op, name });
				s.zoom = [];
			});
		}

		/* The widest picture in which a node is still wide enough to see. */
		function zoomFor(node) {
			const chain = [];
			for (let at = node; at; at = tree.parent[at])
				chain.unshift(tree.parent[at]);
			return chain.find(at => tree.drawn[node] * surface.width() >= 8 * tree.drawn[at]) ??
				tree.parent[node];
		}

		function moveTo(node) {
			if (node < 0 || node >= tree.count)
				return;
			focus = node;
			const inside = node >= zoom && node < tree.end[zoom];
			if (!inside || tree.drawn[node] * surface.width() < 2 * tree.drawn[zoom])
				zoomTo(zoomFor(node));
			else
				draw();
			const i = scene.outlined[0];
			if (i !== undefined)
				surface.reveal(i);
			const lines = tooltip.node(node, 0).map(l => l.text);
			output.details(lines.join(" · "));
			output.focused(node, lines.join(", "), tree);
		}

		function nextMatch(step) {
			if (!terms.length)
				return;
			if (!found.length)
				flameModel.matched(tree, hits, 0, found);
			if (!found.length)
				return;
			foundAt = foundAt < 0 ? (step > 0 ? 0 : found.length - 1) :
				(foundAt + step + found.length) % found.length;
			const list = found, at = foundAt;
			moveTo(list[at]);
			found = list;
			foundAt = at;
			output.matched(matchedParts().concat({ text: " · match " + (at + 1) + " of " +
				list.length }));
		}

		/* callers: of a function that has children on both sides. */
		function childrenOf(node, callers) {
			const list = [], [begin, past] = flameModel.childrenOf(tree, node, callers);
			for (let c = begin; c < past; c = tree.end[c])
				list.push(c);
			return list;
		}

		function walk(key) {
			const at = focus < 0 ? zoom : focus, caller = home && at >= tree.callers;
			const up = key === (state.inverted ? "ArrowDown" : "ArrowUp");
			if (focus < 0) {
				moveTo(at);
			} else if (key === "ArrowLeft" || key === "ArrowRight") {
				const list = childrenOf(tree.parent[at], caller);
				const place = list.indexOf(at) + (key === "ArrowRight" ? 1 : -1);
				if (at && list[place] !== undefined)
					moveTo(list[place]);
			} else if (up !== !!caller || at === home) { /* the way most of the weight goes */
				const list = at === home && !up && !home ? [] : childrenOf(at, caller || !up);
				moveTo(list.reduce((best, c) =>
					best < 0 || tree.drawn[c] > tree.drawn[best] ? c : best, -1));
			} else if (at) {
				moveTo(tree.parent[at]);
			}
		}

		/* Of which function lines are listed. */
		function linesOf() {
			return flameLines.has(base, state.lines) ? state.lines : "";
		}

		function fillTable() {
			const apart = state.reverse || home, from = apart ? forward : tree, top = apart ? 0 : zoom;
			if (linesOf()) {
				chrome.fillTable(flameLines.table(base, state.lines, view.order.line));
				return;
			}
			if (hooks.table) {
				chrome.fillTable(Object.assign({ sorted: -1 },
					hooks.table(from, top, terms.length ? hits : null)));
				return;
			}
			const rows = flameModel.table(from, top);
			const all = whole(), list = [];
			for (let i = 0; i < labels.count; i++)
				if ((rows.total[i] || rows.otherTotal[i]) && labels.name[i] && i !== tree.label[0] &&
					(!terms.length || hits[i]))
					list.push(i);
			const column = view.order.column;
			const by = [null, rows.self, rows.total][column];
			list.sort((a, b) => by ? by[b] - by[a] || a - b : a - b);
			chrome.fillTable({ heads: ["function", "self", "total"], sorted: column,
				rows: list.map(i => [labels.name[i], percent(rows.self[i], all),
					percent(rows.total[i], all)]) });
		}

		function hover(event) {
			const i = surface.boxAt(event);
			if (i < 0) {
				leave();
				return;
			}
			const { node, smaller, width } = scene.boxes;
			const lines = tooltip.node(node[i], smaller[i], width[i]);
			if (i !== hovered)
				output.details((info.nametype || "Function:") + " " + titleOf(i) +
					(zoom && node[i] >= zoom ? ", " + percent(width[i], tree.drawn[zoom]) +
						" of the zoomed frame" : ""));
			hovered = i;
			chrome.showTip(lines, event);
		}

		/* "NAME (1,234 samples, 5.67%)" */
		function titleOf(i) {
			const weight = scene.boxes.width[i], node = scene.boxes.node[i];
			const own = scene.boxes.smaller[i] ? weight : tree.drawn[node];
			return nameOf(i) + " (" + flameText.amount(own, info) + ", " +
				percent(own, whole()) + ")";
		}

		function leave() {
			hovered = -1;
			chrome.hideTip();
			output.details(" ");
		}

		function click(event) {
			const i = surface.boxAt(event);
			chrome.closeMenu();
			if (i < 0 || event.ctrlKey || event.metaKey)
				return;
			if (event.pointerType === "touch" && tapped !== scene.boxes.node[i]) {
				tapped = scene.boxes.node[i];
				hover(event);
				return; /* the second tap zooms */
			}
			leave();
			tapped = -1;
			focus = scene.boxes.node[i];
			if (scene.boxes.smaller[i] && focus === zoom)
				menuOfSmaller(focus, event);
			else
				zoomTo(focus);
		}

		/* Frames that are too narrow to draw even in the zoomed frame: the widest of them. */
		function menuOfSmaller(node, place) {
			const list = [], least = tree.drawn[zoom] / surface.width() * LEAST_PX;
			for (let c = node + 1; c < tree.end[node]; c = tree.end[c])
				if (tree.drawn[c] && tree.drawn[c] < least && !tree.smaller.has(c))
					list.push(c);
			list.sort((a, b) => tree.drawn[b] - tree.drawn[a]);
			if (list.length)
				chrome.openMenu(list.slice(0, 24).map(c => ({ run: () => zoomTo(c),
					text: percent(tree.drawn[c], whole()) + "  " +
						labels.name[tree.label[c]] })), place);
		}

		function menuOf(node, place) {
			const name = labels.name[tree.label[node]];
			if (node && name)
				menuOfName(name, place, [{ text: "Zoom here", run: () => zoomTo(node) }], [
					copyRow("stack", () => flameCopy.stack(tree, node).join("\n") + "\n"),
					copyRow("folded stacks from here", () => flameCopy.folded(tree, node)),
					copyRow("link to this view", () => location.href)]);
		}

		function copyRow(what, text) {
			return { text: "Copy " + what, run: async () => chrome.notice(
				await flameCopy.write(text()) ? "copied: " + what :
					"the browser does not let this page copy") };
		}

		/* What can be done with a function, after `rows` for a frame of it. */
		function menuOfName(name, place, rows, copies) {
			const row = (text, run) => ({ text, run });
			const own = attributesOf(name);
			chrome.hideTip();
			chrome.openMenu((own.href ? [row("Open " + own.href,
				() => window.open(own.href, "_blank", "noopener"))] : []).concat(rows, [
				row("Focus on " + name, () => addStep("focus", name)),
				row("Hide " + name + "; its weight goes to the callers", () => addStep("hide", name)),
				row("Drop stacks with " + name, () => addStep("drop", name)),
				row("Callers and callees of " + name, () => setSandwich(name)),
				flameLines.has(base, name) ? row("Lines of " + name, () => setLines(name)) : [],
				row("Search for " + name, () => setFind("^" + flameText.literal(name) + "$")),
				copyRow("name", () => name), copies,
			].flat()), place);
		}

		function setSandwich(name) {
			commit("sandwich", s => Object.assign(s, { sandwich: name, zoom: [] }));
		}

		/* Again: back to the table of functions, or none. */
		function setLines(name) {
			if (!name || flameLines.has(base, name))
				commit("lines", s => { s.lines = s.lines === name ? "" : name; });
		}

		function choose(key, value) {
			commit(key, s => { s[key] = value; });
		}

		function nextColor() {
			const list = colorChoices().map(c => c.value);
			if (list.length)
				choose("color", list[(list.indexOf(state.color) + 1) % list.length]);
		}

		function colorChoices() {
			return !plain() || info.diffusion ? [] : [{ value: "", text: info.states ? "state" : "kind of code" },
				...!info.states && flamePalette.hasGroups(base) ? [{ value: "module", text: "module" }] : [],
				{ value: "self", text: "self share" }].concat(parts ? parts.ratios(state)
				.map(r => ({ value: r.key, text: r.name })) : []);
		}

		/* The menus and the legend: what widths and colours are of. */
		function showMeaning() {
			chrome.fillChoices({ color: colorChoices(),
				event: parts ? parts.eventChoices() : [],
				thread: parts ? parts.threadChoices() : [] });
			chrome.showLegend(plain() ? flamePalette.legend(forward, state.color) : []);
			if (parts && output.about)
				output.about({ about: parts.about(state), hint: parts.hint(state) });
		}

		function openMenu(event) {
			const i = surface.boxAt(event);
			if (i < 0 || scene.boxes.smaller[i])
				return;
			event.preventDefault();
			focus = scene.boxes.node[i];
			menuOf(focus, event);
		}

		function setFind(text) {
			commit("find", s => { s.find = text; });
		}

		function escape() {
			chrome.closeMenu();
			if (state.find) {
				chrome.items.find.value = "";
				chrome.items.find.blur();
				setFind("");
			} else if (zoom !== home) {
				zoomTo(home);
			} else if (state.sandwich || state.lines) {
				commit("escape", s => { s[s.lines ? "lines" : "sandwich"] = ""; });
			} else {
				focus = -1;
				draw();
			}
		}

		function openFind() {
			chrome.items.find.focus();
			chrome.items.find.select();
		}

		function nameAt(node) {
			return labels.name[tree.label[node]];
		}

		function focused(run) {
			return () => focus > 0 && nameAt(focus) && run(nameAt(focus));
		}

		function menuAtFocus() {
			const i = scene.outlined[0], place = i === undefined ? null : surface.placeOf(i);
			if (place)
				menuOf(focus, { clientX: place.x, clientY: place.y });
		}

		function help() {
			chrome.openMenu(flameKeys.KEYS.map(k => ({ text: k.keys.join(" ") + "  " + k.help,
				run: () => {} })), { clientX: window.innerWidth, clientY: 40 });
		}

		const chrome = flameChrome.build(host, Object.assign({
			find: setFind, unzoom: () => zoomTo(home), undo, toggle, sort, match: nextMatch, help, choose,
			rowMenu: (name, place) => menuOfName(name, place, [], []),
			removeStep: at => commit("step", s => at < s.steps.length ? s.steps.splice(at, 1) :
				Object.assign(s, { sandwich: "", zoom: [] })),
			order: column => { view.order[linesOf() ? "line" : "column"] = column; fillTable(); },
			pick: name => setFind("^" + flameText.literal(name) + "$"),
		}, chromeOn));

		const walks = {};
		for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"])
			walks[key] = () => walk(key);
		flameKeys.listen(Object.assign(walks, {
			Enter: e => e.target === chrome.items.find ? nextMatch(1) : focus >= 0 && zoomTo(focus),
			Escape: escape, Home: () => moveTo(home), "/": openFind, F3: openFind, "Ctrl-F": openFind,
			n: () => nextMatch(1), N: () => nextMatch(-1), "Ctrl-I": () => toggle("ignoreCase"),
			i: () => toggle("inverted"), r: () => toggle("reverse"), o: () => sort(),
			c: () => toggle("collapse"), t: () => toggle("table"),
			f: focused(name => addStep("focus", name)), h: focused(name => addStep("hide", name)),
			x: focused(name => addStep("drop", name)), s: focused(setSandwich), p: nextColor,
			l: () => setLines(state.lines || (focus > 0 ? nameAt(focus) : "")),
			m: menuAtFocus, u: () => undo(true),
			U: () => undo(false), "?": help,
		}));
		window.addEventListener("resize", () => {
			surface.resize();
			show();
		});
		window.addEventListener("hashchange", () => {
			const text = location.hash.slice(1);
			state = flameState.read(text, info);
			history.push(text, "link");
			show();
		});
		history.start(flameState.write(state, info));
		Object.assign(view, {
			tree: () => base,
			shown: () => tree,
			hover, leave, click, openMenu, setFind, setLines, openFind, toggle, zoomTo,
			unzoom: () => zoomTo(home),
			state: () => state,
			/* what: the kind of change, if not that of the key (flame_state.js) */
			setOwn: (key, value, what) => commit(what || key, s => {
				s.own = Object.assign({}, s.own, { [key]: value });
			}),
			redraw: show,
			setWeights(self, other) {
				flameData.setWeights(base, self, other);
				madeFor = "";
				show();
			},
			/* For tests, and for who opens the console: the boxes in sight, by name. */
			boxes: () => scene.boxes.node.map((node, i) => ({ name: nameOf(i), node,
				row: scene.boxes.row[i], left: scene.boxes.left[i] * scene.scale,
				width: scene.boxes.width[i] * scene.scale, place: surface.placeOf(i),
				fill: look(i).fill })),
		});
		show();
		return view;
	}

	return { create };
})();
