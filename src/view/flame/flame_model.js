/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be asked of a tree, and trees made of trees. No document here: all functions are pure. */
const flameModel = (() => {
	const KIND = flameData.KIND;
	const LEAST_SHARE = 1e-5; /* of callers that are shown separately */

	/* A tree that grows: children are found by label. `source` gives labels and info. */
	function grower(source) {
		let capacity = 1 << Math.max(12, 33 - Math.clz32(source.count)), count = 1;
		let parent = new Int32Array(capacity), label = new Int32Array(capacity);
		let self = new Float64Array(capacity), other = new Float64Array(capacity);
		let first = new Float32Array(capacity).fill(Infinity);
		let slots = new Int32Array(2 * capacity), mask = 2 * capacity - 1;
		const smaller = new Map();
		label[0] = source.label[0];

		function place(above, name) {
			let at = (Math.imul(above, 0x9e3779b1) ^ Math.imul(name + 1, 0x85ebca6b)) >>> 7 & mask;
			while (slots[at] && (parent[slots[at]] !== above || label[slots[at]] !== name))
				at = at + 1 & mask;
			return at;
		}

		function longer(old) {
			const array = new old.constructor(capacity);
			array.set(old);
			return array;
		}

		function grow() {
			capacity *= 2;
			parent = longer(parent);
			label = longer(label);
			self = longer(self);
			other = longer(other);
			first = longer(first).fill(Infinity, count);
			slots = new Int32Array(2 * capacity);
			mask = 2 * capacity - 1;
			for (let i = 1; i < count; i++)
				slots[place(parent[i], label[i])] = i;
		}

		return {
			child(above, name) {
				const at = place(above, name);
				if (slots[at])
					return slots[at];
				parent[count] = above;
				label[count] = name;
				slots[at] = count++;
				if (count === capacity) {
					grow();
					return count - 1;
				}
				return slots[at];
			},
			/* What node i of the source has. */
			add(id, i) {
				const frames = source.smaller.get(i);
				self[id] += source.self[i];
				other[id] += source.other ? source.other[i] : 0;
				if (source.first)
					first[id] = Math.min(first[id], source.first[i]);
				if (frames)
					smaller.set(id, (smaller.get(id) || 0) + frames);
			},
			finish() {
				return inOrder({ count, parent, label, self, other: source.other ? other : null,
					first: source.first ? first : null, smaller }, source, byLabel(count, parent, label, source.labels.count));
			},
		};
	}

	/* Nodes grouped by parent, siblings by label: counting sort by one, then by the other. */
	function byLabel(count, parent, label, labels) {
		const order = new Int32Array(count), first = new Int32Array(labels + 1);
		for (let i = 1; i < count; i++)
			first[label[i] + 1]++;
		for (let i = 0; i < labels; i++)
			first[i + 1] += first[i];
		for (let i = 1; i < count; i++)
			order[first[label[i]]++] = i;
		return byParent(count, parent, order);
	}

	/* Stable; order has count - 1 items: all nodes but the root. */
	function byParent(count, parent, order) {
		const first = new Int32Array(count + 1), grouped = new Int32Array(count);
		for (let i = 1; i < count; i++)
			first[parent[i] + 1]++;
		for (let i = 0; i < count; i++)
			first[i + 1] += first[i];
		const fill = first.slice();
		for (let i = 0; i + 1 < count; i++)
			grouped[fill[parent[order[i]]]++] = order[i];
		return { first, grouped };
	}

	/* The tree in pre-order, siblings as in `order`. */
	function inOrder(from, source, order) {
		const tree = flameData.blank(from.count, source.labels, source.info);
		const self = new Float64Array(from.count);
		const other = from.other ? new Float64Array(from.count) : null;
		const stack = [0], above = [0];
		tree.first = from.first ? new Float32Array(from.count) : null;
		for (let i = 0; stack.length; i++) {
			const old = stack.pop();
			tree.parent[i] = above.pop();
			tree.label[i] = from.label[old];
			tree.depth[i] = i ? tree.depth[tree.parent[i]] + 1 : 0;
			self[i] = from.self[old];
			if (other)
				other[i] = from.other[old];
			if (from.first)
				tree.first[i] = from.first[old];
			if (from.smaller.has(old))
				tree.smaller.set(i, from.smaller.get(old));
			for (let k = order.first[old + 1]; k-- > order.first[old];) {
				stack.push(order.grouped[k]);
				above.push(i);
			}
		}
		flameData.setWeights(tree, self, other);
		setEnds(tree);
		return tree;
	}

	function setEnds(tree) {
		const { end, parent, count } = tree;
		for (let i = 0; i < count; i++)
			end[i] = i + 1;
		for (let i = count - 1; i > 0; i--)
			if (end[i] > end[parent[i]])
				end[parent[i]] = end[i];
	}

	/* Copies nodes: where(i, placeOfParent) is the new place of node i, or -1 for none, which
	 * leaves out all below it too. */
	function rebuild(tree, where) {
		const grown = grower(tree), place = new Int32Array(tree.count);
		grown.add(0, 0);
		for (let i = 1; i < tree.count; i++) {
			const above = place[tree.parent[i]];
			place[i] = above < 0 ? -1 : where(i, above, grown);
			if (place[i] >= 0)
				grown.add(place[i], i);
		}
		return grown.finish();
	}

	/* A function that calls itself becomes one frame. */
	function collapse(tree) {
		if (!tree.label.some((label, i) => i && label === tree.label[tree.parent[i]]))
			return tree;
		return rebuild(tree, (i, above, grown) =>
			tree.label[i] === tree.label[tree.parent[i]] ? above : grown.child(above, tree.label[i]));
	}

	/* Frames with these labels give what is theirs to their callers. */
	function hide(tree, labels) {
		return rebuild(tree, (i, above, grown) =>
			labels[tree.label[i]] ? above : grown.child(above, tree.label[i]));
	}

	/* Without the stacks that go through these labels. */
	function drop(tree, labels) {
		return rebuild(tree, (i, above, grown) =>
			labels[tree.label[i]] ? -1 : grown.child(above, tree.label[i]));
	}

	/* Only stacks through these labels, from there on: the outermost one stands on the root. */
	function focus(tree, labels) {
		const grown = grower(tree), place = new Int32Array(tree.count).fill(-1);
		for (let i = 1; i < tree.count; i++) {
			const above = place[tree.parent[i]];
			if (above < 0 && !labels[tree.label[i]])
				continue;
			place[i] = grown.child(Math.max(above, 0), tree.label[i]);
			grown.add(place[i], i);
		}
		return grown.finish();
	}

	/* Leaf first: what a function did itself stands at the root, its callers on it. Weights below
	 * `least` of all are merged, since there are as many places as frames in all stacks. */
	function reverse(tree, least) {
		const list = [];
		for (let i = 0; i < tree.count; i++)
			if (tree.self[i] || (tree.other && tree.other[i]))
				list.push(i);
		const origin = Int32Array.from(list), cursor = Int32Array.from(list);
		const out = { parent: [], label: [], self: [], other: [], first: [],
			smaller: new Map() };
		const scratch = { count: new Int32Array(tree.labels.count),
			next: new Int32Array(tree.labels.count), weight: new Float64Array(tree.labels.count),
			origin: origin.slice(), cursor: origin.slice() };
		const cut = least * (tree.total[0] + (tree.other ? tree.otherTotal[0] : 0));
		const stack = [{ from: 0, to: list.length, above: 0, label: tree.label[0], smaller: 0 }];
		while (stack.length)
			reverseGroup(tree, stack, { origin, cursor, scratch, out, cut });
		const count = out.parent.length, made = flameData.blank(count, tree.labels, tree.info);
		made.smaller = out.smaller;
		made.first = tree.first ? Float32Array.from(out.first) : null;
		made.parent.set(out.parent);
		made.label.set(out.label);
		for (let i = 1; i < count; i++)
			made.depth[i] = made.depth[made.parent[i]] + 1;
		setEnds(made);
		flameData.setWeights(made, Float64Array.from(out.self),
			tree.other ? Float64Array.from(out.other) : null);
		return made;
	}

	/* One place of the reversed tree: the entries [from, to) got here. Those that have no caller
	 * left stay, the others go on by the caller's label. */
	function reverseGroup(tree, stack, work) {
		const { origin, cursor, scratch, out } = work, group = stack.pop();
		const id = out.parent.length, labels = [];
		let self = 0, other = 0, first = Infinity, ending = 0;
		out.parent.push(group.above);
		out.label.push(group.label);
		for (let k = group.from; k < group.to; k++) {
			const above = id ? tree.parent[cursor[k]] : cursor[k];
			cursor[k] = above;
			if (tree.first)
				first = Math.min(first, tree.first[origin[k]]);
			if (above && !group.smaller) {
				if (scratch.count[tree.label[above]]++ === 0)
					labels.push(tree.label[above]);
				continue;
			}
			self += tree.self[origin[k]];
			other += tree.other ? tree.other[origin[k]] : 0;
			ending++;
		}
		out.self.push(self);
		out.other.push(other);
		out.first.push(first);
		if (group.smaller)
			out.smaller.set(id, group.smaller);
		if (labels.length)
			splitGroup(tree, stack, work, { from: group.from, to: group.to, id, labels, ending });
	}

	/* Sorts the entries of a group by label: first those that end here, then groups wide enough to
	 * be shown separately, then the rest as one. */
	function splitGroup(tree, stack, work, { from, to, id, labels, ending }) {
		const { origin, cursor, scratch, cut } = work;
		for (let k = from; k < to; k++)
			if (cursor[k])
				scratch.weight[tree.label[cursor[k]]] += weightOf(tree, origin[k]);
		labels.sort((a, b) => a - b);
		const wide = labels.filter(l => scratch.weight[l] >= cut);
		const small = labels.filter(l => scratch.weight[l] < cut), groups = [];
		let at = from + ending, done = from;
		for (const label of wide.concat(small)) {
			groups.push({ from: at, to: at + scratch.count[label], above: id, label, smaller: 0 });
			scratch.next[label] = at;
			at += scratch.count[label];
			scratch.count[label] = scratch.weight[label] = 0;
		}
		for (let k = from; k < to; k++) {
			const place = cursor[k] ? scratch.next[tree.label[cursor[k]]]++ : done++;
			scratch.origin[place] = origin[k];
			scratch.cursor[place] = cursor[k];
		}
		origin.set(scratch.origin.subarray(from, to), from);
		cursor.set(scratch.cursor.subarray(from, to), from);
		if (small.length)
			stack.push({ from: groups[wide.length].from, to, above: id,
				label: tree.labels.kind.indexOf(KIND.SMALLER), smaller: small.length });
		for (let g = wide.length; g-- > 0;)
			stack.push(groups[g]);
	}

	function weightOf(tree, i) {
		return tree.self[i] + (tree.other ? tree.other[i] : 0);
	}

	/* Siblings by weight, widest first, or by when they were seen first, instead of by name. */
	const ORDERS = {
		weight: ({ drawn }) => (a, b) => drawn[b] - drawn[a],
		time: tree => {
			const at = tree.first && seen(tree);
			return at && ((a, b) => at[a] < at[b] ? -1 : at[a] > at[b]);
		},
	};

	/* By node: when it was seen first, with all below it. */
	const known = new WeakMap();
	function seen(tree) {
		if (known.has(tree))
			return known.get(tree);
		const at = tree.first.slice();
		for (let i = tree.count - 1; i > 0; i--)
			at[tree.parent[i]] = Math.min(at[tree.parent[i]], at[i]);
		known.set(tree, at);
		return at;
	}

	function sorted(tree, by) {
		const compare = Object.hasOwn(ORDERS, by) && ORDERS[by](tree);
		return compare ? sortBy(tree, compare) : tree;
	}

	function sortBy(tree, compare) {
		const order = new Int32Array(tree.count);
		for (let i = 0; i + 1 < tree.count; i++)
			order[i] = i + 1;
		const siblings = byParent(tree.count, tree.parent, order);
		for (let i = 0; i < tree.count; i++)
			if (siblings.first[i + 1] - siblings.first[i] > 1)
				siblings.grouped.subarray(siblings.first[i], siblings.first[i + 1]).sort(compare);
		return inOrder(tree, tree, siblings);
	}

	/* The view that a state asks for: { steps: [{ op, name }], collapse, reverse, sort }. Callers and
	 * callees of one function are flame_sandwich.js's. */
	function derive(tree, state) {
		return arrange(forward(tree, state), state);
	}

	/* Callers below callees: what tables of functions are made of. */
	function forward(tree, state) {
		for (const step of state.steps) {
			const labels = labelsNamed(tree, step.name);
			tree = { hide, drop, focus }[step.op](tree, labels);
		}
		return state.collapse ? collapse(tree) : tree;
	}

	function arrange(tree, state) {
		if (state.reverse)
			tree = reverse(tree, LEAST_SHARE);
		return sorted(tree, state.sort);
	}

	function labelsNamed(tree, name) {
		return Uint8Array.from(tree.labels.name, n => n === name ? 1 : 0);
	}

	/* The node that is as wide as the picture when nothing is zoomed. */
	function home(tree) {
		return tree.callers ? 1 : 0;
	}

	/* The boxes of a picture `least` wide or wider, in units of weight: the zoomed node at [0, its
	 * width), its ancestors as wide. Children too narrow to draw become one box after the others
	 * (in a chart of time where they are), which has their parent as its node. Rows begin at 0. */
	function boxes(tree, zoom, least) {
		const made = { node: [], row: [], left: [], width: [], smaller: [] };
		const put = (node, row, left, width, smaller) => {
			made.node.push(node);
			made.row.push(row);
			made.left.push(left);
			made.width.push(width);
			made.smaller.push(smaller);
		};
		const chain = [];
		for (let at = zoom; at && at !== home(tree); at = tree.parent[at])
			chain.push(tree.parent[at]);
		for (const at of chain.reverse())
			put(at, tree.depth[at], 0, tree.drawn[zoom], 0);
		const stack = [zoom, 0];
		while (stack.length) {
			const left = stack.pop(), node = stack.pop();
			put(node, tree.depth[node], left, tree.drawn[node], tree.smaller.get(node) || 0);
			for (const side of tree.callers && node === 1 ? [false, true] : [node >= tree.callers])
				children(tree, { node, left, least, side: tree.callers && side }, stack, put);
		}
		const lowest = made.row.reduce((least, row) => Math.min(least, row), 0);
		if (lowest)
			made.row = made.row.map(row => row - lowest);
		return made;
	}

	/* Where the children of a node begin and end; of a function between its callers and callees
	 * those on one side. */
	function childrenOf(tree, node, callers) {
		const split = tree.callers && node === 1;
		return [split && callers ? tree.callers : node + 1,
			split && !callers ? tree.callers : tree.end[node]];
	}

	/* side: whether these are callers, in rows below each other. */
	function children(tree, { node, left, least, side }, stack, put) {
		const { end, drawn, depth } = tree, inOrder = tree.info.inOrder, first = stack.length;
		const [begin, past] = childrenOf(tree, node, side);
		let x = left, gathered = 0, count = 0, from = 0;
		const flush = at => {
			if (gathered >= least)
				put(node, depth[node] + (side ? -1 : 1), at, gathered, count);
			gathered = count = 0;
		};
		for (let child = begin; child < past; child = end[child]) {
			const width = drawn[child];
			if (width < least || width === 0) {
				from = count ? from : x;
				count += width ? tree.smaller.get(child) || 1 : 0;
				gathered += width;
				x += inOrder ? width : 0;
				continue;
			}
			if (inOrder)
				flush(from);
			stack.push(child, x);
			x += width;
		}
		if (count)
			flush(inOrder ? from : x);
		for (let i = first, j = stack.length - 2; i < j; i += 2, j -= 2) { /* leftmost on top */
			const a = stack[i], b = stack[i + 1];
			stack[i] = stack[j];
			stack[i + 1] = stack[j + 1];
			stack[j] = a;
			stack[j + 1] = b;
		}
	}

	/* Weight of the stacks below `root` that go through a label of the set: no weight counts twice,
	 * however often a function calls itself, and frames too narrow to draw count too. `found`, if
	 * given, gets the outermost nodes, up to a limit. */
	function matched(tree, labels, root, found) {
		const { label, end, drawn } = tree;
		let sum = 0;
		for (let i = Math.max(root, 1); i < end[root];) {
			if (!labels[label[i]]) {
				i++;
				continue;
			}
			sum += drawn[i];
			if (found && found.length < 100000)
				found.push(i);
			i = end[i];
		}
		return sum;
	}

	/* Per label the weight in it alone and of all stacks through it, below `root`. */
	function table(tree, root) {
		const { label, end } = tree, until = new Int32Array(tree.labels.count);
		const rows = { self: new Float64Array(tree.labels.count),
			total: new Float64Array(tree.labels.count),
			otherSelf: new Float64Array(tree.labels.count),
			otherTotal: new Float64Array(tree.labels.count) };
		for (let i = root; i < end[root]; i++) {
			const name = label[i], outermost = i >= until[name];
			rows.self[name] += tree.self[i];
			if (outermost) {
				rows.total[name] += tree.total[i];
				until[name] = end[i];
			}
			if (!tree.other)
				continue;
			rows.otherSelf[name] += tree.other[i];
			rows.otherTotal[name] += outermost ? tree.otherTotal[i] : 0;
		}
		return rows;
	}

	const CALLER = "\u2190"; /* in front of a caller's name in paths: it may be a callee, too */

	function pathOf(tree, node) {
		const path = [];
		for (; node && node !== home(tree); node = tree.parent[node])
			path.unshift((tree.callers && node >= tree.callers && tree.parent[node] === 1 ?
				CALLER : "") + tree.labels.name[tree.label[node]]);
		return path;
	}

	/* Children with the name that a word of a path gives, in an order that no sorting changes. */
	function named(tree, at, word) {
		const callers = tree.callers && at === 1 && word.startsWith(CALLER), list = [];
		const name = callers ? word.slice(CALLER.length) : word;
		const [begin, past] = childrenOf(tree, at, callers || at >= tree.callers);
		for (let child = begin; child < past; child = tree.end[child])
			if (tree.labels.name[tree.label[child]] === name)
				list.push(child);
		const time = list.length > 1 && tree.first ? seen(tree) : null;
		return list.sort((a, b) => tree.label[a] - tree.label[b] ||
			(time && time[a] - time[b]) || 0);
	}

	/* The node at a path of names, or where the path leads furthest: siblings may have one name, as
	 * functions of two modules do. nth: which of them to try first, from 1; 0 = the first. */
	function nodeAt(tree, path, nth = []) {
		const stack = [{ at: home(tree), deep: 0 }];
		let best = stack[0];
		while (stack.length && best.deep < path.length) {
			const { at, deep } = stack.pop(), list = named(tree, at, path[deep]);
			const first = list.splice(nth[deep] - 1, nth[deep] ? 1 : 0);
			const next = first.concat(list).map(child => ({ at: child, deep: deep + 1 }));
			if (next.length && deep + 1 > best.deep)
				best = next[0];
			stack.push(...next.reverse());
		}
		return best.at;
	}

	/* What a state says to zoom to that node: names, and where they lead to another one, which of
	 * the siblings. */
	function zoomOf(tree, node) {
		const zoom = pathOf(tree, node), nth = zoom.map(() => 0);
		if (nodeAt(tree, zoom) === node)
			return { zoom, nth };
		for (let at = node, i = zoom.length; i-- > 0; at = tree.parent[at]) {
			const list = named(tree, tree.parent[at], zoom[i]);
			nth[i] = list.length > 1 ? list.indexOf(at) + 1 : 0;
		}
		return { zoom, nth };
	}

	return { LEAST_SHARE, derive, forward, arrange, focus, reverse, sorted, seen, home, childrenOf,
		boxes, matched, table, pathOf, nodeAt, zoomOf, labelsNamed };
})();
