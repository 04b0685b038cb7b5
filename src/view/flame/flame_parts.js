/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Weights of one event, process or thread in place of those that the packed tree came with.
 * info.parts says what there is (flame_parts.h), tree.parts has the weights: [event][thread] =
 * { node, weight }. Of two events with a meaningful quotient, the second gives `other` weights:
 * info.ratio then is one of RATIOS with of(tree, node), or has bars(tree, node), what a weight is
 * made of, [{ text, color, share }]; no comparison is meant. */
const flameParts = (() => {
	const RATIOS = [
		{ key: "ipc", up: /(^|\/)instructions\b/, down: /(^|\/)(cpu-)?cycles\b/, more: "good",
			name: "instructions per cycle" },
		{ key: "cache", up: /(^|\/)cache-misses\b/, down: /(^|\/)cache-references\b/, more: "bad",
			name: "cache misses per reference" },
		{ key: "branch", up: /(^|\/)branch-misses\b/, down: /(^|\/)branch(es|-instructions)\b/,
			more: "bad", name: "mispredictions per branch" },
	];

	/* An event that is made of two of the others (profile/waits/wall_time.h): what of it is which. */
	const SPLIT = { event: /^wall-time$/, of: /^offcpu-time$/,
		parts: [{ text: "on CPU", color: "#e8590c" }, { text: "off CPU", color: "#1c4fa0" }] };

	function textOf(t, whole) {
		return t.comm + " (" + t.pid + (whole || t.tid === t.pid ? "" : "/" + t.tid) + ")";
	}

	/* What the menu of threads offers, widest first: processes, and below each its threads. */
	function choices(parts, weights) {
		const processes = new Map();
		parts.threads.forEach((thread, i) => {
			const key = thread.pid === undefined ? "other" : thread.pid;
			const process = processes.get(key) || { threads: [], weight: 0 };
			process.threads.push({ thread, i, weight: weights[i] });
			process.weight += weights[i];
			processes.set(key, process);
		});
		const list = [], byWeight = (a, b) => b.weight - a.weight;
		for (const process of [...processes.values()].sort(byWeight)) {
			const threads = process.threads.sort(byWeight), first = threads[0].thread;
			if (first.pid === undefined) {
				list.push({ value: first.comm, weight: process.weight, of: [threads[0].i] });
				continue;
			}
			list.push({ value: textOf(first, true), weight: process.weight,
				of: threads.map(t => t.i) });
			for (const t of threads.length > 1 ? threads : [])
				list.push({ value: textOf(t.thread, false) + (t.thread.tid === t.thread.pid ?
					" main thread" : ""), weight: t.weight, of: [t.i], inner: true });
		}
		return list;
	}

	/* null when there is one event and one thread. */
	function create(base) {
		const info = base.info, parts = info.parts;
		if (!parts)
			return null;
		const original = { self: base.self, countname: info.countname,
			scale: info.scale, each: info.each };
		const sum = part => part.weight.reduce((a, b) => a + b, 0);
		const threads = choices(parts, base.parts[parts.main].map(sum));
		const total = threads.reduce((all, t) => all + (t.inner ? 0 : t.weight), 0);
		let made = "";

		function weightsOf(event, chosen) {
			const self = new Float64Array(base.count);
			base.parts[event].forEach((part, i) => {
				if (!chosen || chosen.of.includes(i))
					part.node.forEach((node, k) => { self[node] += part.weight[k]; });
			});
			return self;
		}

		function eventOf(state) {
			const at = parts.events.findIndex(e => e.name === state.event);
			return at < 0 ? parts.main : at;
		}

		/* The available quotients for the event of the widths. */
		function ratios(event) {
			return RATIOS.map(ratio => {
				const [up, down] = [ratio.up, ratio.down].map(r =>
					parts.events.findIndex(e => r.test(e.name)));
				return up < 0 || down < 0 || (event !== up && event !== down) ? null :
					Object.assign({ upIs: up, downIs: down }, ratio);
			}).filter(r => r);
		}

		/* Periods make counts of what widths are numbers of samples of. */
		function quotient(ratio, event) {
			const { events } = parts, factor = (events[ratio.upIs].period || 1) /
				(events[ratio.downIs].period || 1);
			return (tree, node) => {
				const own = tree.total[node], other = tree.otherTotal[node];
				const [up, down] = event === ratio.upIs ? [own, other] : [other, own];
				return down ? up / down * factor : NaN;
			};
		}

		/* Of an event that is a sum: { of: event that gives `other` weights, bars } */
		function splitOf(event) {
			const of = SPLIT.event.test(parts.events[event].name) ?
				parts.events.findIndex(e => SPLIT.of.test(e.name)) : -1;
			if (of < 0)
				return null;
			const shares = (tree, node) => {
				const off = tree.otherTotal[node] * (parts.events[of].period || 1) /
					(tree.total[node] * (parts.events[event].period || 1)) || 0;
				return [1 - off, off].map((share, i) => ({ ...SPLIT.parts[i], share }));
			};
			return { key: "split", bars: shares, downIs: of, upIs: event };
		}

		return {
			/* Of menus; what the picture came with is "". */
			eventChoices: () => parts.events.map((e, i) =>
				({ value: i === parts.main ? "" : e.name, text: e.name })),
			threadChoices: () => threads.length < 2 ? [] : [{ value: "", text: "all threads" },
				...threads.map(t => ({ value: t.value, text: (t.inner ? "\u00a0 " : "") +
					t.value + " \u00b7 " + flameText.percent(t.weight, total) }))],
			ratios: state => ratios(eventOf(state)),
			about: state => parts.events[eventOf(state)].about + (threads.some(t => t.value === state.thread) ?
				" \u00b7 only " + state.thread : ""),
			/* Events and threads of a link that are of another profile. */
			unknown: state => [[state.event, parts.events.map(e => e.name)],
				[state.thread, threads.map(t => t.value)]].filter(([name, all]) => name &&
				!all.includes(name)).map(([name]) => name),
			hint: state => parts.events[eventOf(state)].hint,
			isOriginal: () => made === "",
			/* Gives the tree the weights that the state asks for. */
			prepare(state) {
				const event = eventOf(state), chosen = threads.find(t => t.value === state.thread);
				const ratio = ratios(event).find(r => r.key === state.color) || splitOf(event);
				const all = event === parts.main && !chosen;
				const key = all && !ratio ? "" : [event, chosen ? chosen.value : "",
					ratio ? ratio.key : ""].join("\n");
				if (key === made)
					return;
				made = key;
				const { countname, scale, each } = event === parts.main ? original : parts.events[event];
				Object.assign(info, { countname, scale, each, ratio: ratio && (ratio.bars ? ratio :
					Object.assign(ratio, { of: quotient(ratio, event) })) });
				flameData.setWeights(base, all ? original.self : weightsOf(event, chosen), ratio ?
					weightsOf(event === ratio.upIs ? ratio.downIs : ratio.upIs, chosen) : null);
			},
		};
	}

	return { create };
})();
