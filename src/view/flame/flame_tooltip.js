/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text about a frame: the lines of its tooltip, shares of what. `shown()` gives what is in
 * sight: { tree, zoom, home, state, hooks } of flame_view.js. */
const flameTooltip = (() => {
	const KINDS = { 3: "kernel", 4: "compiled at run time", 5: "interpreted", 6: "guest",
		8: "no symbol" }; /* ORDER: enum flame_kind */
	const { percent } = flameText;

	function create(shown) {
		/* What 100 % is: all of the tree, or what --total says. */
		function whole() {
			const { tree } = shown(), { info } = tree;
			return Math.max(tree.drawn[0], (info.total || 0) * (info.scale || 1));
		}

		function zoomWord() {
			const { home, zoom, state } = shown();
			return home && zoom === home ? state.sandwich : "the zoomed frame";
		}

		function shares(weight) {
			const { tree, zoom } = shown(), { each } = tree.info, all = percent(weight, whole()) + " of all";
			const text = [each && weight < whole() ? all + " (95% " +
				flameText.interval(weight, whole(), whole() / each) + ")" : all];
			if (zoom)
				text.push(percent(weight, tree.drawn[zoom]) + " of " + zoomWord());
			return text;
		}

		/* Of --nameattr; without a link there, one to the page of --code. */
		function attributesOf(name) {
			const { attributes, code } = shown().tree.info;
			const own = attributes && Object.hasOwn(attributes, name) ? attributes[name] : {};
			const href = own.href || (code && name && code + "#" + encodeURIComponent(name));
			return Object.assign({}, own, href && { href });
		}

		/* In reversed stacks, the self time of callers is omitted. */
		function hasSelf(node) {
			const { tree, home, state } = shown();
			return home ? node < tree.callers : !state.reverse;
		}

		function weightOf(node) {
			const { tree, hooks } = shown(), { info } = tree;
			return hooks.weight ? hooks.weight(node, tree) :
				[flameText.amount(tree.total[node], info)]
					.concat(shares(tree.drawn[node]), hasSelf(node) ?
						percent(tree.self[node], whole()) + " self" : []).join(" · ");
		}

		/* smaller: how many frames the box stands for, `width` wide; else 0. */
		function node(at, smaller, width) {
			const { tree, hooks, state } = shown(), { info, labels } = tree;
			const name = labels.name[tree.label[at]];
			if (smaller)
				return [{ text: "(" + smaller + " smaller)" }, { soft: true,
					text: [flameText.amount(width, info)]
						.concat(shares(width)).join(" · ") }];
			const soft = [weightOf(at)], short = flameText.elide(name);
			if (tree.other && !hooks.weight)
				soft.push(info.ratio ? ratioOf(tree, at) : changeOf(tree, at));
			if (at && state.sort === "time" && tree.first)
				soft.push("first seen at " + Number(flameModel.seen(tree)[at].toPrecision(4)) + " s");
			soft.push(...((hooks.tooltip && hooks.tooltip(at, tree)) || []));
			soft.push(attributesOf(name).title, placeOf(labels, tree.label[at]),
				buildOf(info, labels.module[tree.label[at]]), short === name ? "" : name);
			return [{ text: short || "(all)" }].concat(soft.filter(text => text)
				.map(text => ({ soft: true, text })));
		}

		/* What of a link or a search there is nothing of. */
		function problems(terms, parts) {
			const { tree, zoom, state } = shown(), names = tree.labels.name;
			const wrong = terms.filter(t => t.wrong).map(flameText.wrongTerm);
			const deep = flameModel.pathOf(tree, zoom).length;
			const lost = deep < state.zoom.length ? [state.zoom[deep]] : [];
			lost.push(...[state.sandwich, state.lines, ...state.steps.map(s => s.name)]
				.filter(name => name && !names.includes(name)));
			if (parts)
				lost.push(...parts.unknown(state));
			return wrong.concat(lost.map(name => "the link names " + flameText.elide(name) +
				", which is not in this profile"));
		}

		return { node, whole, zoomWord, attributesOf, problems };
	}

	function ratioOf(tree, node) {
		if (tree.info.ratio.bars)
			return tree.info.ratio.bars(tree, node).map(bar => bar.text + " " +
				percent(bar.share, 1)).join(", ");
		const { ratio } = tree.info, value = ratio.of(tree, node);
		return (value >= 0 ? value.toPrecision(3) : "no count of") + " " + ratio.name;
	}

	function changeOf(tree, node) {
		const before = tree.otherTotal[0] ? tree.otherTotal[node] / tree.otherTotal[0] : 0;
		const after = tree.total[0] ? tree.total[node] / tree.total[0] : 0;
		const sign = after >= before ? "+" : "−";
		return "before " + percent(before, 1) + " → after " + percent(after, 1) + ": " + sign +
			(Math.abs(after - before) * 100).toFixed(2) + " points";
	}

	/* Which build of its module: programs change, pictures stay. */
	function buildOf({ builds }, module) {
		return builds && Object.hasOwn(builds, module) ? "build id " + builds[module] : "";
	}

	function placeOf(labels, label) {
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

	return { create };
})();
