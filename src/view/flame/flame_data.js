/* SPDX-License-Identifier: GPL-2.0-or-later */
"use strict";
/* Reading packed trees (the format is in flame_pack.h). A tree, everywhere in the viewer:
 *
 *   count              nodes, in pre-order: the subtree of i is [i, end[i]), node 0 is the root
 *   parent, label, end, depth   Int32Array by node
 *   self, total        Float64Array by node: weight self, and with all below it
 *   other, otherTotal  the same of the second profile where two are compared, else null
 *   drawn              Float64Array by node: what widths mean; total unless said otherwise
 *   smaller            Map: node of kind SMALLER → how many frames it stands for
 *   first              by node: seconds until a stack that ends there was seen first, or null
 *   columns            { name: Float32Array by node }, of the packed tree only
 *   parts              of the packed tree: weights by event and thread (flame_parts.js), or null
 *   lines              of the packed tree: Map: name → [{ file, line, self, total }], or null
 *   source             of the packed tree: Map: file → Map: line → text, or null
 *   callers            0, or of a tree of callers and callees (flame_sandwich.js): node 1 is the
 *                      function, children of node 1 before this node are its callees, from here
 *                      on its callers; what is below those called them. Depths are negative there
 *   labels             { count, name[], module[], file[], line[], lineTo[], kind[], inlined[],
 *                        color[] "#rrggbb", dark[]: white text reads better }, sorted by name
 *   info               the JSON object of the packed tree: title, countname, scale, … */
const flameData = (() => {
	const KIND = { ALL: 0, COMMAND: 1, USER: 2, KERNEL: 3, JIT: 4, INTERPRETER: 5, GUEST: 6,
		SEPARATOR: 7, UNKNOWN: 8, SMALLER: 9 }; /* ORDER: enum flame_kind */

	async function inflate(text) {
		const packed = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) :
			Uint8Array.from(atob(text), c => c.charCodeAt(0));
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	}

	/* What follows a first byte of 128 or more; numbers may have more than 32 bits. */
	function longNumber(bytes, at) {
		let value = 0, unit = 1, byte;
		do {
			byte = bytes[at++];
			value += (byte & 127) * unit;
			unit *= 128;
		} while (byte >= 128);
		return { value, at };
	}

	function reader(bytes) {
		let at = 0;
		return {
			number() {
				if (bytes[at] < 128)
					return bytes[at++];
				const long = longNumber(bytes, at);
				at = long.at;
				return long.value;
			},
			take(length) {
				at += length;
				return bytes.subarray(at - length, at);
			},
			left: () => bytes.length - at,
			section() {
				return reader(this.take(this.number()));
			},
			/* As many numbers as `into` holds, or as nodes with children or without there are. */
			numbers(into) {
				let p = at;
				for (let i = 0; i < into.length; i++) {
					if (bytes[p] < 128) {
						into[i] = bytes[p++];
						continue;
					}
					const long = longNumber(bytes, p);
					into[i] = long.value;
					p = long.at;
				}
				at = p;
			},
			weights(into, end, leaves) {
				let p = at;
				for (let i = 0; i < into.length; i++) {
					if ((end[i] === i + 1) !== leaves)
						continue;
					if (bytes[p] < 128) {
						into[i] = bytes[p++];
						continue;
					}
					const long = longNumber(bytes, p);
					into[i] = long.value;
					p = long.at;
				}
				at = p;
			},
		};
	}

	function readStrings(from, count) {
		const decoder = new TextDecoder(), strings = [];
		let word = new Uint8Array(64);
		for (let i = 0; i < count; i++) {
			const common = from.number(), more = from.number();
			if (common + more > word.length) {
				const longer = new Uint8Array(2 * (common + more));
				longer.set(word.subarray(0, common));
				word = longer;
			}
			word.set(from.take(more), common);
			strings.push(decoder.decode(word.subarray(0, common + more)));
		}
		return strings;
	}

	/* Whether white text reads better: bytes are red, green, blue. */
	function isDark(bytes) {
		const part = v => v <= 10 ? v / 3294.6 : Math.pow((v / 255 + 0.055) / 1.055, 2.4);
		return 0.2126 * part(bytes[0]) + 0.7152 * part(bytes[1]) + 0.0722 * part(bytes[2]) < 0.179;
	}

	function readLabels(from, count, strings) {
		const column = () => Array.from({ length: count }, () => from.number());
		const words = () => column().map(id => strings[id]);
		const labels = { count, name: words(), module: words(), file: words(), line: column(),
			lineTo: column(), kind: column(), inlined: [], color: [], dark: [] };
		for (let i = 0; i < count; i++) {
			const rgb = from.take(3);
			labels.lineTo[i] += labels.line[i];
			labels.inlined.push(labels.kind[i] >= 16);
			labels.kind[i] &= 15;
			labels.color.push("#" + Array.from(rgb, v => v.toString(16).padStart(2, "0")).join(""));
			labels.dark.push(isDark(rgb));
		}
		return labels;
	}

	/* All edges in one array: those of label i are [first[i], first[i + 1]). */
	function readEdges(from, labels, count) {
		const first = new Int32Array(labels + 1), below = new Int32Array(count);
		let at = 0;
		for (let i = 0; i < labels; i++) {
			first[i] = at;
			for (let n = from.number(), last = 0; n > 0; n--)
				below[at++] = last += from.number();
		}
		first[labels] = at;
		return { first, below };
	}

	/* The arrays are large, so each is used for two things: end[i] counts the children of i that are
	 * yet to come before it is what it is called, and label[i] holds the step to its edge. */
	function readShape(tree, kids, calls, edges, rootLabel) {
		const { parent, label, end, depth, count } = tree, { first, below } = edges;
		const next = []; /* by depth: index after the edge of the last child */
		let above = 0, level = 0;
		kids.numbers(end);
		calls.numbers(label.subarray(1));
		label[0] = rootLabel;
		next[0] = 0;
		for (let i = 1; i < count; i++) {
			while (end[above] === 0) {
				end[above] = i;
				above = parent[above];
				level--;
			}
			const step = label[i];
			const index = next[level] + (step >>> 1 ^ -(step & 1));
			end[above]--;
			next[level] = index + 1;
			next[++level] = 0;
			parent[i] = above;
			depth[i] = level;
			label[i] = below[first[label[above]] + index];
			above = i;
		}
		for (; above; above = parent[above])
			end[above] = count;
		end[0] = count;
	}

	/* The weights of nodes without children come apart from the others. */
	function readWeights(tree, leaves, inner) {
		const end = tree.end, self = new Float64Array(tree.count);
		leaves.weights(self, end, true);
		inner.weights(self, end, false);
		return self;
	}

	/* Each node's weight and all below it. What callers called is not theirs alone. */
	function sums(tree, self) {
		const total = self.slice(), { parent, callers } = tree;
		for (let i = tree.count - 1; i > 0; i--)
			if (!callers || i < callers || parent[i] !== 1)
				total[parent[i]] += total[i];
		return total;
	}

	function blank(count, labels, info) {
		return { count, parent: new Int32Array(count), label: new Int32Array(count),
			end: new Int32Array(count), depth: new Int32Array(count), self: null, total: null,
			other: null, otherTotal: null, drawn: null, smaller: new Map(), columns: {}, first: null,
			callers: 0,
			labels, info };
	}

	/* Gives a tree new weights, and widths that mean them: self and other by node. */
	function setWeights(tree, self, other) {
		tree.self = self;
		tree.total = tree.drawn = sums(tree, self);
		tree.other = other || null;
		tree.otherTotal = other ? sums(tree, other) : null;
	}

	function parse(bytes) {
		const all = reader(bytes);
		const info = JSON.parse(new TextDecoder().decode(all.take(all.number())));
		const strings = readStrings(all.section(), info.strings);
		const labels = readLabels(all.section(), info.labels, strings);
		const edges = readEdges(all.section(), info.labels, info.edges);
		const tree = blank(info.nodes, labels, info);
		readShape(tree, all.section(), all.section(), edges, labels.kind.indexOf(KIND.ALL));
		const self = readWeights(tree, all.section(), all.section());
		setWeights(tree, self, info.other ? readWeights(tree, all.section(), all.section()) : null);
		const smaller = all.section();
		const gathered = labels.kind.indexOf(KIND.SMALLER);
		for (let i = 0; smaller.left() && i < tree.count; i++)
			if (tree.label[i] === gathered)
				tree.smaller.set(i, smaller.number());
		for (const name of info.columns) {
			const section = all.take(all.number());
			tree.columns[name] = new Float32Array(section.slice().buffer);
		}
		tree.first = tree.columns.first || null;
		tree.parts = info.parts ? readParts(all.section(), info.parts) : null;
		tree.lines = info.lines ? readLines(all.section(), labels, strings) : null;
		tree.source = info.source ? readSource(all.section(), strings) : null;
		return tree;
	}

	function readParts(from, { events, threads }) {
		return events.map(() => threads.map(() => {
			const count = from.number(), node = new Int32Array(count);
			const weight = new Float64Array(count);
			for (let i = 0, at = 0; i < count; i++) {
				node[i] = at += from.number();
				weight[i] = from.number();
			}
			return { node, weight };
		}));
	}

	/* Functions of one name are one, as everywhere in tables. */
	function readLines(from, labels, strings) {
		const lines = new Map();
		while (from.left()) {
			const name = labels.name[from.number()], list = lines.get(name) || [];
			lines.set(name, list);
			for (let n = from.number(); n > 0; n--)
				list.push({ file: strings[from.number()], line: from.number(),
					self: from.number(), total: from.number() });
		}
		return lines;
	}

	function readSource(from, strings) {
		const source = new Map(), decoder = new TextDecoder();
		while (from.left()) {
			const lines = new Map();
			source.set(strings[from.number()], lines);
			for (let n = from.number(), line = 0; n > 0; n--) {
				line += from.number();
				lines.set(line, decoder.decode(from.take(from.number())));
			}
		}
		return source;
	}

	async function unpack(text) {
		return parse(await inflate(text));
	}

	return { KIND, inflate, reader, unpack, parse, blank, sums, setWeights, isDark };
})();
