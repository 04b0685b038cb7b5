/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flame graph of two sides: widths of one side, meaning of colours, text of a frame.
 * `verdictsOf(tree)` gives the changes by node: { delta, low, high, q } including callees and
 * { selfDelta, selfLow, selfHigh, selfQ } without them, shares of 1; a change is significant when
 * its interval leaves out 0.
 *
 * The scale goes from blue over grey to orange-red, which stays apart for every common colour
 * blindness; grey is what may be chance, and hatched what is so rare that all of it could come or go by
 * chance. */
const diffView = (() => {
	const FEWER = ["#aecbe8", "#7fb0db", "#4c8fca", "#2268ad", "#0b4a86"];
	const MORE = ["#fbc49a", "#f79c5e", "#ec7331", "#c94a12", "#9c2f06"];
	const CHANCE = "#d4d4d2", RARE = "#ebebe9";
	const STEPS = [0.001, 0.003, 0.01, 0.03]; /* of share, between colours */
	const BY = { total: "Including callees", self: "Themselves" };
	const OWN = { show: "union", by: "total" };
	const { make } = flameChrome;

	/* share: the larger one of both sides */
	const isRare = (low, high, share) => high - low > 2 * share;

	function colorOf(delta, low, high, share) {
		if (!(low > 0 || high < 0))
			return isRare(low, high, share) ? { fill: RARE, dark: false, hatched: true } :
				{ fill: CHANCE, dark: false };
		const size = Math.abs(delta), at = STEPS.filter(s => size >= s).length;
		return { fill: (delta > 0 ? MORE : FEWER)[at], dark: at >= 3 };
	}

	/* Widths: of one side; or as wide as every stack is on its wider side, in shares. */
	function setDrawn(tree, show) {
		if (show === "before" || show === "after" || !tree.other) {
			tree.drawn = show === "before" && tree.other ? tree.otherTotal : tree.total;
			return;
		}
		const after = tree.total[0] || 1, before = tree.otherTotal[0] || 1;
		const scale = tree.total[0] ? tree.total[0] : before;
		tree.drawn = flameData.sums(tree, tree.self.map((weight, i) =>
			Math.max(weight / after, tree.other[i] / before) * scale));
	}

	function points(share) {
		const value = Math.abs(share) * 100;
		return (share < 0 ? "−" : "+") + value.toFixed(value >= 0.1 || !value ? 2 : 3);
	}

	/* " · ×1.25": how many times the share before the one after is. */
	function times(tree, node) {
		const factor = tree.total[node] / tree.total[0] /
			(tree.otherTotal[node] / tree.otherTotal[0]);
		return node ? " · ×" + factor.toPrecision(3) : "";
	}

	function percent(part, whole) {
		return flameText.percent(part, whole);
	}

	function intervalText(delta, low, high, q, share) {
		return points(delta) + " points [" + points(low) + ", " + points(high) + "]" +
			(low > 0 || high < 0 ? ", q " + (q < 1e-9 ? "< 1e-9" : q.toPrecision(2)) :
				isRare(low, high, share) ? ", too few samples" : ", may be chance");
	}

	/* hooks of flame_view.js; names: what the sides are called. */
	function hooks(verdictsOf, names) {
		let verdicts = null, own = OWN;
		const self = () => own.by === "self";
		const of = node => self() ?
			[verdicts.selfDelta[node], verdicts.selfLow[node], verdicts.selfHigh[node]] :
			[verdicts.delta[node], verdicts.low[node], verdicts.high[node]];

		function larger(tree, node, alone) {
			const after = (alone ? tree.self : tree.total)[node] / (tree.total[0] || 1);
			const before = (alone ? tree.other : tree.otherTotal)[node] / (tree.otherTotal[0] || 1);
			return Math.max(before, after);
		}

		function shares(tree, node, side, part) {
			const whole = side ? tree.total[0] : tree.otherTotal[0];
			return names[side] + " " + percent(part, whole);
		}

		function tooltip(node, tree) {
			const lines = [], { delta, low, high, q } = verdicts;
			lines.push("including callees: " +
				intervalText(delta[node], low[node], high[node], q[node],
					larger(tree, node, false)));
			if (tree.self[node] || tree.other[node])
				lines.push("itself: " + shares(tree, node, 0, tree.other[node]) + " → " +
					shares(tree, node, 1, tree.self[node]) + ": " +
					intervalText(verdicts.selfDelta[node], verdicts.selfLow[node],
						verdicts.selfHigh[node], verdicts.selfQ[node],
						larger(tree, node, true)));
			if (verdicts.note)
				lines.push(verdicts.note);
			return lines;
		}

		return {
			made(tree, now) {
				own = now;
				verdicts = tree.other ? verdictsOf(tree) : null;
				setDrawn(tree, own.show);
			},
			look: (node, tree) => tree.other && node ?
				colorOf(...of(node), larger(tree, node, self())) :
				{ fill: CHANCE, dark: false },
			mark: (node, tree) => !tree.other || !node ? "" : !tree.otherTotal[node] ? "+ " :
				!tree.total[node] ? "× " : "",
			weight: (node, tree) => shares(tree, node, 0, tree.otherTotal[node]) + " → " +
				shares(tree, node, 1, tree.total[node]) + (tree.otherTotal[node] ?
				tree.total[node] ? times(tree, node) : " · gone" : " · new"),
			tooltip,
			table: (tree, zoom, hits) => table(tree, zoom, hits, self(), verdicts),
			verdicts: () => verdicts,
		};
	}

	/* Functions by the size of their change. Below a zoomed frame, shares are still of all. */
	function table(tree, zoom, hits, self, verdicts) {
		const rows = flameModel.table(tree, zoom), labels = tree.labels, list = [];
		const before = tree.otherTotal[0] || 1, after = tree.total[0] || 1;
		const was = self ? rows.otherSelf : rows.otherTotal, is = self ? rows.self : rows.total;
		const significant = verdicts && verdicts.functions && !zoom ? verdicts.functions(self) : null;
		for (let i = 0; i < labels.count; i++)
			if ((was[i] || is[i]) && labels.name[i] && i !== tree.label[0] && (!hits || hits[i]))
				list.push({ i, delta: is[i] / after - was[i] / before });
		list.sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || a.i - b.i);
		return { heads: ["function", "before", "after", self ? "itself, points" : "points"],
			rows: list.map(({ i, delta }) => [labels.name[i], percent(was[i], before),
				percent(is[i], after), points(delta) + (significant ? significant[i] ? "" : " ~" : "")]) };
	}

	/* The buttons and the legend; setOwn as in flame_view.js. sides: what the buttons say. */
	function bar(view, sides) {
		const box = make("div", { class: "df-bar", role: "toolbar", "aria-label": "comparison" });
		const buttons = [];
		const group = (label, key, words) => {
			const set = make("span", { class: "df-group", role: "group", "aria-label": label }, label);
			for (const [value, text] of Object.entries(words)) {
				const button = make("button", { type: "button", id: "df-" + value }, text);
				button.addEventListener("click", () => view.setOwn(key, value));
				buttons.push({ button, key, value });
				set.append(button);
			}
			box.append(set);
		};
		group("Widths", "show", { before: sides[0], after: sides[1], union: "Both" });
		group("Colours", "by", BY);
		box.append(legend());
		return { box, reflect(own) {
			for (const { button, key, value } of buttons)
				button.setAttribute("aria-pressed", own[key] === value);
		} };
	}

	function legend() {
		const box = make("span", { class: "df-legend", id: "df-legend" });
		const swatch = (color, title) => {
			const sample = make("span", { class: "df-swatch", title });
			sample.style.background = color;
			return sample;
		};
		const size = i => !i ? "less than " + points(STEPS[0]).slice(1) + " points" :
			points(STEPS[i - 1]).slice(1) + " points and more";
		const rare = make("span", { class: "df-swatch df-hatch", title: "too few samples to tell" });
		const scale = colors => colors.map((color, i) => swatch(color, size(i)));
		box.append("fewer ", ...scale(FEWER).reverse(),
			swatch(CHANCE, "the interval includes 0"), " may be chance ", rare,
			" too few ", ...scale(MORE), " more (" +
			STEPS.map(step => step * 100).join(", ") + " pt)",
			make("span", { class: "df-marks" }, "+ new  × gone"));
		return box;
	}

	return { OWN, hooks, bar, setDrawn, colorOf };
})();
