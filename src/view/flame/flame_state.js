/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is shown, as a value: written into the address by names, not by places, so that a link fits
 * another width or a newer profile, too; and kept for undo. */
const flameState = (() => {
	const OPS = ["focus", "hide", "drop"];
	/* sandwich: the function between its callers and callees; lines: the function with
	 * listed lines; event, thread, color as flame_parts.js and flame_palette.js name them. */
	const WORDS = ["sandwich", "lines", "event", "thread", "color"];

	/* own: { key: text }, what views built on this one remember; info.own has the keys and their
	 * first values. zoom: a path of names; nth: which of siblings of one name each of them is,
	 * from 1, or 0 where the names alone lead there (flameModel.nodeAt()). */
	function initial(info) {
		return { own: Object.assign({}, info.own), zoom: [], nth: [], find: info.find || "",
			ignoreCase: false, inverted: !!info.inverted, reverse: false,
			sort: "name", collapse: false, steps: [], table: false,
			sandwich: "", lines: "", event: "", thread: "", color: info.color || "" };
	}

	function write(state, info) {
		const first = initial(info), parts = [];
		if (state.zoom.length)
			parts.push("zoom=" + state.zoom.map((name, i) => encodeURIComponent(name) +
				(state.nth[i] ? "@" + state.nth[i] : "")).join(";"));
		if (state.find !== first.find)
			parts.push("s=" + encodeURIComponent(state.find));
		for (const step of state.steps)
			parts.push(step.op + "=" + encodeURIComponent(step.name));
		for (const key of Object.keys(first.own))
			if (state.own[key] !== first.own[key])
				parts.push(key + "=" + encodeURIComponent(state.own[key]));
		for (const key of WORDS)
			if (state[key] !== first[key])
				parts.push(key + "=" + encodeURIComponent(state[key]));
		if (state.sort !== first.sort)
			parts.push("sort=" + state.sort);
		for (const flag of ["ignoreCase", "inverted", "reverse", "collapse", "table"])
			if (state[flag] !== first[flag])
				parts.push(flag + "=" + (state[flag] ? 1 : 0));
		return parts.join("&");
	}

	/* "name@2" is the second sibling of that name; in names, "@" is written as %40. */
	function readZoom(state, value) {
		const words = value.split(";").map(word => /^(.*?)(?:@([1-9]\d{0,5}))?$/s.exec(word));
		state.zoom = words.map(word => decodeURIComponent(word[1]));
		state.nth = words.map(word => Number(word[2] || 0));
	}

	/* A damaged link shows the whole picture. */
	function read(text, info) {
		const state = initial(info);
		for (const part of text.split("&")) {
			const at = part.indexOf("="), key = part.slice(0, at), value = part.slice(at + 1);
			try {
				if (key === "zoom")
					readZoom(state, value);
				else if (key === "s")
					state.find = decodeURIComponent(value);
				else if (key === "sort" && ["weight", "time"].includes(value))
					state.sort = value;
				else if (Object.hasOwn(state.own, key))
					state.own[key] = decodeURIComponent(value);
				else if (WORDS.includes(key))
					state[key] = decodeURIComponent(value);
				else if (OPS.includes(key))
					state.steps.push({ op: key, name: decodeURIComponent(value) });
				else if (key in state && typeof state[key] === "boolean")
					state[key] = value === "1";
			} catch (error) {
				continue;
			}
		}
		return state;
	}

	/* Undo: states as text. Letters typed one after another are one change, and so are steps of a
	 * zoom in time. */
	const JOINED = ["find", "axis"];

	function history(limit) {
		const past = [], future = [];
		let last = "", kind = "";
		return {
			start(text) {
				last = text;
			},
			/* Gives whether there is now one more. */
			push(text, what) {
				const adds = text !== last && (what !== kind || !JOINED.includes(what));
				if (text === last)
					return false;
				if (adds)
					past.push(last);
				if (past.length > limit)
					past.shift();
				future.length = 0;
				last = text;
				kind = what;
				return adds;
			},
			step(back) {
				const from = back ? past : future, to = back ? future : past;
				if (!from.length)
					return null;
				to.push(last);
				last = from.pop();
				kind = "";
				return last;
			},
			can: back => (back ? past : future).length > 0,
		};
	}

	/* In the address: as a new entry, to which Back returns, or in place of the last one. */
	function remember(text, adds) {
		try {
			window.history[adds ? "pushState" : "replaceState"](null, "", text ? "#" + text :
				location.pathname + location.search);
		} catch (error) {
			return; /* some embedders forbid it: the link is a comfort, not a need */
		}
	}

	return { initial, write, read, history, remember };
})();
