/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page on a time axis shows is in its address: the part of the time, and the page's choices.
 * Each change is an entry to which Back returns; letters of a search and steps of a zoom that follow
 * each other are one entry. */
const timelineLink = (() => {
	const JOINED = ["find", "steps"];

	function read(text) {
		const values = {};
		for (const part of text.split("&")) {
			const at = part.indexOf("=");
			try {
				if (at > 0)
					values[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
			} catch (error) {
				continue; /* a damaged link shows the rest */
			}
		}
		return values;
	}

	/* values(): what is shown, texts by name; apply(values): shows that. */
	function create(values, apply) {
		const initial = values();
		let last = "", kind = "";

		function write() {
			const now = values();
			return Object.keys(now).filter(key => now[key] !== initial[key])
				.map(key => key + "=" + encodeURIComponent(now[key])).join("&");
		}

		function follow() {
			last = location.hash.slice(1);
			kind = "";
			apply(Object.assign({}, initial, read(last)));
		}

		/* After a change by the user. */
		function changed(what) {
			const now = write(), joins = what === kind && JOINED.includes(what);
			if (now === last)
				return;
			last = now;
			kind = what;
			try {
				history[joins ? "replaceState" : "pushState"](null, "", now ? "#" + now :
					location.pathname + location.search);
			} catch (error) {
				return; /* some embedders forbid it: the link is a comfort, not a need */
			}
		}

		window.addEventListener("hashchange", follow);
		if (location.hash.length > 1)
			follow();
		return { changed };
	}

	return { create };
})();
