/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The viewer: a state, the tree that the state asks for, and what is said about it. It draws on any
 * surface (flame_canvas.js, flame_svg.js) that has
 *
 *   width()      pixels for the frames
 *   draw(scene)  { boxes, scale: pixels per weight, rows, inverted, outlined: [box], cutLeft,
 *                  look(box): { fill, dark, italic, faded }, label(box): text }
 *   boxAt(event), placeOf(box), reveal(box), resize()
 *   keeps(inverted)   optional: whether the first picture came with the document, and stays
 *
 *     const view = flameView.create({ tree, surface, chrome host, hooks… });
 *     view.setWeights(self, other);   // by node of the packed tree: another selection, same stacks
 *     view.redraw();                  // after a hook would say something else
 *
 * Hooks, all optional, for views that show more than one profile's weights:
 *   look(node, tree)   { fill: "#rrggbb", dark } or null for the colour of the label
 *   tell(node, tree)   [lines] that the tooltip says, too
 *   prepare(tree, own) before that, to the packed tree: may give it other weights
 *                      (flameData.setWeights())
 *   made(tree, own)    a tree was made, or what the view itself remembers has changed (state.own in
 *                      flame_state.js): may set tree.drawn
 *   mark(node, tree)   text in front of the name in the picture
 *   weigh(node, tree)  in place of the weight and shares that the tooltip says
 *   table(tree, zoom, hits)  { heads, rows: [[name, cells…]] } in place of the table's, widest first;
 *                      hits: null or by label
 *   origin: trees made of the packed one (reversed, without some frames) have no columns; the
 *   packed one is the tree for which tree === view.tree(). */
const flameView = (() => {
	const HIT_COLORS = ["#e600e6", "#00beeb", "#ffd600", "#3ccd5a", "#ff786e"];
	const LEAST_PX = 0.5; /* narrower boxes become one */
	const KINDS = { 3: "kernel", 4: "compiled at run time", 5: "interpreted", 6: "guest",
		8: "no symbol" }; /* ORDER: enum flame_kind */
	const { percent } = flameText;

	function create({ tree: base, surface, host, hooks = {}, says = {}, chromeOn = {} }) {
		const info = base.info, labels = base.labels;
		const history = flameState.history(200);
		const view = { order: { column: 1 } };
		let state = flameState.read(location.hash.slice(1) || location.search.slice(1), info);
		let tree = base, forward = base, madeFor = "", zoom = 0, scene = null, hidden = 0;
		let terms = [], hits = new Uint8Array(labels.count), found = [], foundAt = -1;
		let focus = -1, hovered = -1;

		/* The tree for the state; made again only when it must be. */
		function derive() {
			const key = JSON.stringify([state.steps, state.collapse, state.reverse, state.sort,
				state.own]);
			if (key === madeFor)
				return;
			madeFor = key;
			if (hooks.prepare)
				hooks.prepare(base, state.own);
			forward = flameModel.forward(base, state);
			tree = flameModel.arrange(forward, state);
			if (hooks.made)
				hooks.made(tree, state.own);
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
			const share = set => percent(flameModel.matched(tree, set, zoom), tree.drawn[zoom]);
			const parts = [{ text: "Matched: " + share(hits) }];
			if (terms.length > 1) {
				terms.forEach((t, i) => parts.push({ text: i ? ", " : " (" },
					{ text: t.term + " " + share(hitsOf(t)), color: hitColor(i + 1) }));
				parts.push({ text: ")" });
			}
			if (zoom)
				parts.push({ text: " of the zoomed frame, " +
					percent(flameModel.matched(tree, hits, 0), whole()) + " of all" });
			if (hidden)
				parts.push({ text: "; " + percent(hidden, whole()) +
					" is in frames too small to search" });
			return parts;
		}

		/* What 100 % is: all of the tree, or what --total says. */
		function whole() {
			return Math.max(tree.drawn[0], (info.total || 0) * (info.scale || 1));
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
			const faded = tree.depth[node[i]] < tree.depth[zoom];
			const hit = hits[label];
			if (hit)
				return { fill: hitColor(hit), dark: false, hit: true, italic: labels.inlined[label], faded };
			const own = (hooks.look && hooks.look(node[i], tree)) || flameChange.look(node[i], tree);
			return { fill: own ? own.fill : labels.color[label],
				dark: own ? own.dark : labels.dark[label], italic: labels.inlined[label], faded };
		}

		function hitColor(hit) {
			return hit === 1 && info.searchcolor ? info.searchcolor :
				HIT_COLORS[(hit - 1) % HIT_COLORS.length];
		}

		function draw() {
			const width = surface.width(), drawn = tree.drawn[zoom] || 1;
			const span = zoom ? drawn : whole() || 1;
			const kept = tree === base && !zoom && surface.keeps && surface.keeps(state.inverted);
			const boxes = flameModel.boxes(tree, zoom,
				kept ? info.geometry.least : span / width * LEAST_PX);
			let rows = 0;
			if (!zoom)
				boxes.width[0] = span;
			for (const row of boxes.row)
				rows = Math.max(rows, row + 1);
			scene = { boxes, kept, scale: width / span, rows, inverted: state.inverted, look,
				label: nameOf, outlined: [], cutLeft: !!info.cutleft,
				stroke: info.strokecolor };
			outline();
			surface.draw(scene);
		}

		function outline() {
			scene.outlined = [];
			scene.boxes.node.forEach((node, i) => {
				if (!scene.boxes.smaller[i] && node === focus)
					scene.outlined.push(i);
			});
		}

		function show() {
			derive();
			zoom = flameModel.nodeAt(tree, state.zoom);
			matchNames();
			draw();
			chrome.reflect(Object.assign({ canUndo: history.can(true), canRedo: history.can(false),
				wrong: terms.some(t => t.wrong) }, state));
			chrome.fillSteps(state.steps.map(s => s.op + " " + s.name));
			if (state.table)
				fillTable();
			const parts = matchedParts();
			says.matched(parts);
			chrome.say(parts.map(part => part.text).join(""));
			says.zoomed(zoom);
		}

		/* All changes go through here: change(state) alters a copy. */
		function commit(what, change) {
			const next = Object.assign({}, state, { steps: state.steps.slice() });
			change(next);
			state = next;
			found = [];
			foundAt = -1;
			const text = flameState.write(state, info);
			history.push(text, what);
			remember(text);
			show();
		}

		function remember(text) {
			try {
				window.history.replaceState(null, "", text ? "#" + text :
					location.pathname + location.search);
			} catch (error) {
				return; /* some embedders forbid it: the link is a comfort, not a need */
			}
		}

		function undo(back) {
			const text = history.step(back);
			if (text === null)
				return;
			state = flameState.read(text, info);
			remember(text);
			show();
		}

		function zoomTo(node) {
			commit("zoom", s => { s.zoom = flameModel.pathOf(tree, node); });
		}

		/* The zoom ends where frames are no longer what they were. */
		function toggle(name) {
			commit(name, s => {
				if (name === "sort")
					s.sort = s.sort === "weight" ? "name" : "weight";
				else
					s[name] = !s[name];
				if (name === "reverse")
					s.zoom = [];
			});
		}

		function addStep(op, node) {
			const name = labels.name[tree.label[node]];
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
			const lines = tellNode(node, 0).map(l => l.text);
			says.details(lines.join(" · "));
			says.focused(node, lines.join(", "), tree);
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
			says.matched(matchedParts().concat({ text: " · match " + (at + 1) + " of " +
				list.length }));
		}

		function siblings(node) {
			const list = [], above = tree.parent[node];
			for (let c = above + 1; c < tree.end[above]; c = tree.end[c])
				list.push(c);
			return list;
		}

		function walk(key) {
			const at = focus < 0 ? zoom : focus, up = key === (state.inverted ? "ArrowDown" : "ArrowUp");
			if (focus < 0) {
				moveTo(at);
			} else if (key === "ArrowLeft" || key === "ArrowRight") {
				const list = siblings(at), place = list.indexOf(at) + (key === "ArrowRight" ? 1 : -1);
				if (at && list[place] !== undefined)
					moveTo(list[place]);
			} else if (up) {
				let widest = -1; /* the way most of the weight goes */
				for (let c = at + 1; c < tree.end[at]; c = tree.end[c])
					if (widest < 0 || tree.drawn[c] > tree.drawn[widest])
						widest = c;
				moveTo(widest);
			} else if (at) {
				moveTo(tree.parent[at]);
			}
		}

		function shares(weight) {
			const text = [percent(weight, whole()) + " of all"];
			if (zoom)
				text.push(percent(weight, tree.drawn[zoom]) + " of the zoomed frame");
			return text;
		}

		function tellNode(node, smaller, width) {
			const label = tree.label[node], lines = [];
			if (smaller) {
				lines.push({ text: "(" + smaller + " smaller)" });
				lines.push({ soft: true, text: [flameText.count(width, info) + " " + info.countname]
					.concat(shares(width)).join(" · ") });
				return lines;
			}
			lines.push({ text: labels.name[label] || "(all)" });
			const place = placeOf(label), own = attributesOf(labels.name[label]);
			if (own.title)
				lines.push({ soft: true, text: own.title });
			if (place)
				lines.push({ soft: true, text: place });
			if (hooks.weigh)
				lines.push({ soft: true, text: hooks.weigh(node, tree) });
			else
				lines.push({ soft: true, text: [flameText.count(tree.total[node], info) + " " +
					info.countname].concat(shares(tree.drawn[node]), state.reverse ? [] :
					percent(tree.self[node], whole()) + " in itself").join(" · ") });
			if (tree.other && !hooks.weigh)
				lines.push({ soft: true, text: changeOf(node) });
			for (const text of (hooks.tell && hooks.tell(node, tree)) || [])
				lines.push({ soft: true, text });
			return lines;
		}

		function changeOf(node) {
			const before = tree.otherTotal[0] ? tree.otherTotal[node] / tree.otherTotal[0] : 0;
			const after = tree.total[0] ? tree.total[node] / tree.total[0] : 0;
			const sign = after >= before ? "+" : "−";
			return "before " + percent(before, 1) + " → after " + percent(after, 1) + ": " + sign +
				(Math.abs(after - before) * 100).toFixed(2) + " points";
		}

		function placeOf(label) {
			const words = [], kind = KINDS[labels.kind[label]];
			if (labels.inlined[label])
				words.push("inlined");
			if (kind)
				words.push(kind);
			if (labels.module[label])
				words.push(labels.module[label]);
			if (labels.file[label])
				words.push(labels.file[label] + (labels.line[label] ? ":" + labels.line[label] : "") +
					(labels.lineTo[label] > labels.line[label] ? "–" + labels.lineTo[label] : ""));
			return words.join(" · ");
		}

		function fillTable() {
			if (hooks.table) {
				chrome.fillTable(Object.assign({ sorted: -1 },
					hooks.table(state.reverse ? forward : tree, state.reverse ? 0 : zoom,
						terms.length ? hits : null)));
				return;
			}
			const rows = flameModel.table(state.reverse ? forward : tree, state.reverse ? 0 : zoom);
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
			const lines = tellNode(node[i], smaller[i], width[i]);
			if (i !== hovered)
				says.details((info.nametype || "Function:") + " " + titleOf(i) +
					(zoom && node[i] >= zoom ? ", " + percent(width[i], tree.drawn[zoom]) +
						" of the zoomed frame" : ""));
			hovered = i;
			chrome.showTip(lines, event);
		}

		/* "NAME (1,234 samples, 5.67%)" */
		function titleOf(i) {
			const weight = scene.boxes.width[i], node = scene.boxes.node[i];
			const own = scene.boxes.smaller[i] ? weight : tree.drawn[node];
			return nameOf(i) + " (" + flameText.count(own, info) + " " + info.countname + ", " +
				percent(own, whole()) + ")";
		}

		function leave() {
			hovered = -1;
			chrome.hideTip();
			says.details(" ");
		}

		function click(event) {
			const i = surface.boxAt(event);
			chrome.closeMenu();
			if (i < 0 || event.ctrlKey || event.metaKey)
				return;
			leave();
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
			if (!node || !name)
				return;
			const row = (text, run) => ({ text, run });
			const own = attributesOf(name);
			chrome.hideTip();
			chrome.openMenu((own.href ? [row("Open " + own.href,
				() => window.open(own.href, "_blank", "noopener"))] : []).concat([
				row("Zoom here", () => zoomTo(node)),
				row("Focus on " + name, () => addStep("focus", node)),
				row("Hide " + name + ": callers get its weight", () => addStep("hide", node)),
				row("Without stacks through " + name, () => addStep("drop", node)),
				row("Search for " + name, () => setFind("^" + flameText.literal(name) + "$")),
			]), place);
		}

		/* Of --nameattr. */
		function attributesOf(name) {
			return info.attributes && Object.hasOwn(info.attributes, name) ?
				info.attributes[name] : {};
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
			} else if (zoom) {
				zoomTo(0);
			} else {
				focus = -1;
				draw();
			}
		}

		function openFind() {
			chrome.items.find.focus();
			chrome.items.find.select();
		}

		function focused(run) {
			return () => focus > 0 && run(focus);
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
			find: setFind, unzoom: () => zoomTo(0), undo, toggle, match: nextMatch, help,
			removeStep: at => commit("step", s => s.steps.splice(at, 1)),
			order: column => { view.order.column = column; fillTable(); },
			pick: name => setFind("^" + flameText.literal(name) + "$"),
		}, chromeOn));

		const walks = {};
		for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"])
			walks[key] = () => walk(key);
		flameKeys.listen(Object.assign(walks, {
			Enter: e => e.target === chrome.items.find ? nextMatch(1) : focus >= 0 && zoomTo(focus),
			Escape: escape, Home: () => moveTo(0), "/": openFind, F3: openFind, "Ctrl-F": openFind,
			n: () => nextMatch(1), N: () => nextMatch(-1), "Ctrl-I": () => toggle("ignoreCase"),
			i: () => toggle("inverted"), r: () => toggle("reverse"), o: () => toggle("sort"),
			c: () => toggle("collapse"), t: () => toggle("table"),
			f: focused(node => addStep("focus", node)), h: focused(node => addStep("hide", node)),
			x: focused(node => addStep("drop", node)), m: menuAtFocus, u: () => undo(true),
			U: () => undo(false), "?": help,
		}));
		window.addEventListener("resize", () => {
			surface.resize();
			show();
		});
		window.addEventListener("hashchange", () => {
			state = flameState.read(location.hash.slice(1), info);
			show();
		});
		history.start(flameState.write(state, info));
		Object.assign(view, {
			tree: () => base,
			shown: () => tree,
			hover, leave, click, openMenu, setFind, openFind, toggle, zoomTo,
			unzoom: () => zoomTo(0),
			state: () => state,
			setOwn: (key, value) => commit(key, s => {
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
