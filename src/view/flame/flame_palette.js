/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What colours mean, where they are not those of a comparison: the kind of code, as packed; the
 * module or package; how
 * much a function spends self, wherever it is; or a quotient of two events (flame_parts.js),
 * against that of all. And the legend that says so. Lightness tells steps apart without the hue. */
const flamePalette = (() => {
	const NOTHING = "#e4e1da", UNKNOWN = "#d4d4d2";
	const MORE = ["#fdeecb", "#fcd48f", "#f7ad5c", "#ec7f3c", "#cf4f2b", "#a32a2a", "#6e1130"];
	const GOOD = ["#b9d3ec", "#7fb0db", "#3f82c4", "#17589c"];
	const BAD = ["#fbcfa6", "#f59b57", "#d9601c", "#9c3a06"];
	const EVEN = "#ececea", STEPS = [0.15, 0.4, 0.7, 1]; /* of a factor's logarithm to base 2 */
	const LEGEND_MAX = 6; /* groups in the legend */
	const dark = new Map();
	const { percent } = flameText;

	function lookOf(color) {
		if (!dark.has(color))
			dark.set(color, flameData.isDark([1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16))));
		return { fill: color, dark: dark.get(color) };
	}

	/* Per label, of the tree with frames above their callers; the last is cached. */
	const known = { tree: null, self: null, most: 0, sum: 0 };
	function selfOf(forward) {
		if (known.tree !== forward || known.weights !== forward.self) {
			const { self } = flameModel.table(forward, 0);
			const most = self.reduce((a, b) => Math.max(a, b), 0);
			Object.assign(known, { tree: forward, weights: forward.self, self, most });
		}
		return known;
	}

	/* By the square root: small shares differ, too. */
	function bySelf(node, tree, forward) {
		const { self, most } = selfOf(forward), weight = self[tree.label[node]];
		if (!weight)
			return lookOf(NOTHING);
		const at = Math.sqrt(weight / (most || 1)) * MORE.length;
		return lookOf(MORE[Math.min(Math.floor(at), MORE.length - 1)]);
	}

	const { ALL, COMMAND, SEPARATOR, SMALLER } = flameData.KIND;
	const NAMELESS = [ALL, COMMAND, SEPARATOR, SMALLER];

	/* By label: the module, else what the name begins with: a namespace, a package. "" = unknown. */
	const groups = new WeakMap();
	function groupsOf({ labels }) {
		if (!groups.has(labels))
			groups.set(labels, labels.name.map((name, i) => {
				if (NAMELESS.includes(labels.kind[i]))
					return "";
				return labels.module[i] ? labels.module[i].split("/").pop() :
					(/^([\w$]+(\/[\w$]+)?)(::|\.|\/)/.exec(name) || ["", ""])[1];
			}));
		return groups.get(labels);
	}

	const hasGroups = tree => new Set(groupsOf(tree).filter(g => g)).size > 1;

	/* The same for a name in every picture; black is readable on all of them. */
	function groupColor(group) {
		let hash = 2166136261;
		for (const c of group)
			hash = Math.imul(hash ^ c.codePointAt(0), 16777619);
		hash = Math.imul(hash ^ hash >>> 15, 0x85ebca6b) >>> 8;
		return group ? "hsl(" + hash % 36 * 10 + (hash & 256 ? ", 62%, 80%)" : ", 48%, 68%)") :
			NOTHING;
	}

	/* What the widest groups spend in themselves. */
	function groupLegend(forward) {
		const { self } = selfOf(forward), sums = new Map(), all = forward.total[0];
		groupsOf(forward).forEach((group, i) => {
			if (group && self[i])
				sums.set(group, (sums.get(group) || 0) + self[i]);
		});
		const list = [...sums].sort((a, b) => b[1] - a[1]);
		const rest = list.slice(LEGEND_MAX).reduce((sum, [, weight]) => sum + weight, 0);
		return list.slice(0, LEGEND_MAX).map(([group, weight]) => ({ color: groupColor(group),
			text: group + " " + percent(weight, all) + "  " })).concat(rest ?
			{ text: list.length - LEGEND_MAX + " others " + percent(rest, all) } : []);
	}

	function byRatio(node, tree) {
		const { ratio } = tree.info, value = ratio.of(tree, node), all = ratio.of(tree, 0);
		if (!(value > 0) || !(all > 0))
			return lookOf(UNKNOWN);
		const way = Math.log2(value / all), step = STEPS.filter(s => Math.abs(way) >= s).length;
		return lookOf(!step ? EVEN : ((way > 0) === (ratio.more === "good") ? GOOD : BAD)[step - 1]);
	}

	/* By label, where colours are of states: the look that the legend's item has. */
	const stated = new WeakMap();
	function stateOf(labels, items, label) {
		if (!stated.has(labels))
			stated.set(labels, labels.module.map(module => {
				const at = items.findIndex(item => item.name === module);
				return at < 0 ? null : { ...lookOf(items[at].color), paint: "url(#state" + at + ")",
					texture: items[at].texture };
			}));
		return stated.get(labels)[label];
	}

	/* { fill, dark, texture and its name in an SVG }, or null where the colour of the kind is right. */
	function look(node, tree, forward, color) {
		if (tree.info.ratio && !tree.info.ratio.bars)
			return node ? byRatio(node, tree) : lookOf(EVEN);
		if (color === "module" && node)
			return { fill: groupColor(groupsOf(tree)[tree.label[node]]), dark: false };
		if (color === "self" && node)
			return bySelf(node, tree, forward);
		return tree.info.states ? stateOf(tree.labels, tree.info.legend, tree.label[node]) : null;
	}

	/* What all functions spend in themselves, by item of the legend; the last is kept. */
	const cache = { tree: null, weights: null, sums: null };
	function kindSums(forward, items) {
		if (cache.tree === forward && cache.weights === forward.self)
			return cache.sums;
		const { labels, label, self } = forward, sums = new Float64Array(items.length + 1);
		const itemOf = Uint8Array.from(labels.kind, (kind, i) => 1 + items.findIndex(item =>
			forward.info.states ? item.name === labels.module[i] :
				item.kind === kind && item.inlined === labels.inlined[i]));
		for (let i = 0; i < self.length; i++)
			sums[itemOf[label[i]]] += self[i];
		return Object.assign(cache, { tree: forward, weights: self, sums: sums.slice(1) }).sums;
	}

	/* Items as flame_legend.c names them. */
	function kinds(forward) {
		const items = forward.info.legend || [], sums = items.length ? kindSums(forward, items) : [];
		const parts = [];
		const least = forward.info.states ? 5e-4 * forward.total[0] : 0; /* of many, those to be seen */
		items.forEach((item, i) => sums[i] > least && parts.push({ color: item.color,
			texture: item.texture, text: item.name + " " + percent(sums[i], forward.total[0]) + "  " }));
		return parts.length > 1 ? parts : [];
	}

	const scale = colors => colors.map(color => ({ text: "", color }));

	/* Parts of a line, as flameText.fill() takes them. */
	function legend(forward, color) {
		const { ratio } = forward.info;
		if (ratio && !ratio.bars) {
			const all = ratio.of(forward, 0), [low, high] = ratio.more === "good" ? [BAD, GOOD] :
				[GOOD, BAD];
			return [{ text: ratio.name + ":  half" }, ...scale([...low].reverse()),
				{ text: "as all (" + all.toPrecision(3) + ")", color: EVEN }, ...scale(high),
				{ text: "twice" }];
		}
		const bars = ratio ? [{ text: "  time " }, ...ratio.bars(forward, 0).map(bar => ({
			color: bar.color, text: bar.text + " " + percent(bar.share, 1) + "  " }))] : [];
		return meaning(forward, color).concat(bars);
	}

	function meaning(forward, color) {
		if (color === "module")
			return groupLegend(forward);
		if (color === "self")
			return [{ text: "function itself:  " }, { text: "nothing  ", color: NOTHING },
				...scale(MORE), { text: percent(selfOf(forward).most, forward.total[0]) }];
		return kinds(forward);
	}

	return { look, legend, hasGroups };
})();
