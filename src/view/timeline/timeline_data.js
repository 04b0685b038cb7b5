/* SPDX-License-Identifier: GPL-2.0-or-later */
"use strict";
/* The model of a timeline: what timeline.c packed, lanes put together by thread, name or process,
 * and how much of each kind there is in any stretch of time.
 *
 * A lane: { name, members, total Float64Array by kind, busy (all but idle kinds),
 * start, end, own Float64Array by slice, kind, label Int32Array }, in us, by start. */
const timelineData = (() => {
	function unpackLane(raw, kinds) {
		const n = raw.slices.length / 5;
		const lane = { name: raw.name, thread: raw.thread, process: raw.process, members: 1,
			pid: raw.pid, tid: raw.tid, cpu: raw.cpu, start: new Float64Array(n), end: new Float64Array(n),
			own: new Float64Array(n), kind: new Int32Array(n), label: new Int32Array(n) };
		let before = 0;
		for (let i = 0, at = 0; i < n; i++, at += 5) {
			const start = before + raw.slices[at], length = raw.slices[at + 1];
			before = start + length;
			lane.start[i] = start / 1000;
			lane.end[i] = before / 1000;
			lane.own[i] = (length - raw.slices[at + 2]) / 1000;
			lane.kind[i] = raw.slices[at + 3];
			lane.label[i] = raw.slices[at + 4];
		}
		return summed(lane, kinds);
	}

	function summed(lane, kinds) {
		lane.total = new Float64Array(kinds.length);
		lane.life = lane.busy = lane.longest = 0;
		for (let i = 0; i < lane.kind.length; i++) {
			lane.total[lane.kind[i]] += lane.own[i];
			lane.life += lane.own[i];
			lane.longest = Math.max(lane.longest, lane.end[i] - lane.start[i]);
			if (!kinds[lane.kind[i]].idle)
				lane.busy += lane.own[i];
		}
		return lane;
	}

	/* One lane of many: their slices in order of time. */
	function merged(name, lanes, kinds) {
		if (lanes.length === 1)
			return Object.assign({}, lanes[0], { name, of: lanes });
		const order = [];
		lanes.forEach((lane, l) => {
			for (let i = 0; i < lane.kind.length; i++)
				order.push([lane.start[i], l, i]);
		});
		order.sort((a, b) => a[0] - b[0]);
		const lane = { name, thread: lanes[0].thread, process: lanes[0].process, of: lanes,
			cpu: lanes[0].cpu, members: lanes.length };
		for (const field of ["start", "end", "own", "kind", "label"]) {
			const array = new lanes[0][field].constructor(order.length);
			order.forEach(([, l, i], at) => { array[at] = lanes[l][field][i]; });
			lane[field] = array;
		}
		return summed(lane, kinds);
	}

	function grouped(model, by) {
		const groups = new Map();
		for (const lane of model.lanes) {
			const key = by === "process" ? lane.process + "\n" + (lane.cpu ? "" : lane.pid) :
				by === "name" ? lane.thread : by === "all" ? (lane.cpu ? lane.process : "") :
				groups.size;
			if (!groups.has(key))
				groups.set(key, []);
			groups.get(key).push(lane);
		}
		const lanes = Array.from(groups.values(), members => {
			const first = members[0], many = members.length > 1 ? " ×" + members.length : "";
			const name = by === "process" ? first.process + (first.cpu ? "" : ":" + first.pid) + many :
				by === "name" ? first.thread + many :
				by === "all" ? (first.cpu ? "all " + first.process : "all threads") + many : first.name;
			return merged(name, members, model.kinds);
		});
		return lanes.sort((a, b) => b.cpu - a.cpu || (a.cpu ? a.tid - b.tid : b.busy - a.busy) || a.name.localeCompare(b.name));
	}

	/* The first slice that can overlap [from, …). */
	function firstSlice(lane, from) {
		let low = 0, high = lane.start.length;
		const target = from - lane.longest;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (lane.start[middle] < target)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* The index of the slice at a time if there is exactly one, else -1. */
	function exactAt(lane, at) {
		for (let i = firstSlice(lane, at); i < lane.start.length && lane.start[i] <= at; i++)
			if (lane.end[i] > at && lane.own[i] > 0.999 * (lane.end[i] - lane.start[i]))
				return i;
		return -1;
	}

	/* us of each kind in [from, to), into an array by kind. A slice only has how much
	 * of it is its own: it is taken as spread evenly. */
	function amounts(lane, from, to, into) {
		into.fill(0);
		for (let i = firstSlice(lane, from); i < lane.start.length && lane.start[i] < to; i++) {
			const length = lane.end[i] - lane.start[i];
			const overlap = Math.min(lane.end[i], to) - Math.max(lane.start[i], from);
			if (overlap > 0)
				into[lane.kind[i]] += lane.own[i] * overlap / length;
		}
		return into;
	}

	/* Columns of equal length, at once: Float64Array of count × kinds. */
	function columns(lane, from, to, count, kinds) {
		const out = new Float64Array(count * kinds), step = (to - from) / count;
		for (let i = firstSlice(lane, from); i < lane.start.length && lane.start[i] < to; i++) {
			const start = Math.max(lane.start[i], from), end = Math.min(lane.end[i], to);
			if (end <= start)
				continue;
			const density = lane.own[i] / (lane.end[i] - lane.start[i]), kind = lane.kind[i];
			const last = Math.min(count - 1, Math.floor((end - from) / step));
			for (let c = Math.floor((start - from) / step); c <= last; c++) {
				const left = from + c * step;
				const overlap = Math.min(end, left + step) - Math.max(start, left);
				if (overlap > 0)
					out[c * kinds + kind] += overlap * density;
			}
		}
		return out;
	}

	async function unpack(text) {
		const bytes = await flameData.inflate(text);
		const raw = JSON.parse(new TextDecoder().decode(bytes));
		return Object.assign({}, raw, {
			lanes: raw.lanes.map(lane => unpackLane(lane, raw.kinds)) });
	}

	return { unpack, grouped, amounts, columns, exactAt };
})();
