/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is shown, as a value that the address holds. from and to are moments as `cupel query` takes
 * them; a and b are ranges "FROM,TO" in seconds since 1970, "" = none; `inner` is the state of the
 * viewer in the frame (flame_state.js). */
const pageState = (() => {
	const FIRST = { from: "-1h", to: "now", selector: "", event: "", by: "service", a: "", b: "",
		base: "previous", other: "", view: "flame", total: "", inner: "" };

	function write(state) {
		return Object.keys(FIRST).filter(key => state[key] !== FIRST[key])
			.map(key => key + "=" + encodeURIComponent(state[key])).join("&");
	}

	/* A damaged address shows what of it can be read. */
	function read(text) {
		const state = Object.assign({}, FIRST);
		for (const part of text.split("&")) {
			const at = part.indexOf("="), key = part.slice(0, at);
			if (!Object.hasOwn(FIRST, key))
				continue;
			try {
				state[key] = decodeURIComponent(part.slice(at + 1));
			} catch (error) {
				continue;
			}
		}
		return state;
	}

	/* { from, to } in ns, or null. */
	function rangeOf(text) {
		const [from, to] = text.split(",").map(Number);
		return to > from && from >= 0 ? { from: from * 1e9, to: to * 1e9 } : null;
	}

	function textOf(range) {
		return range ? Math.round(range.from / 1e9) + "," + Math.round(range.to / 1e9) : "";
	}

	/* The words that ask the server for a part of the store. range: null = as the state says. */
	function query(state, range, more) {
		const words = Object.assign({ selector: state.selector, event: state.event,
			from: range ? "@" + Math.round(range.from / 1e9) : state.from,
			to: range ? "@" + Math.round(range.to / 1e9) : state.to }, more);
		return Object.entries(words).filter(([, value]) => value)
			.map(([key, value]) => key + "=" + encodeURIComponent(value)).join("&");
	}

	return { FIRST, write, read, rangeOf, textOf, query };
})();
