/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame with the viewer's own page. Its state, which it keeps in its address, becomes a part of
 * the address of the page around it. */
const pageFrame = (() => {
	const { make } = pageText;

	/* changed(inner): the viewer shows something else. */
	function create(host, changed) {
		const frame = make("iframe", { class: "sp-frame", title: "flame graph" });
		host.append(frame);
		let shown = "";

		const innerNow = () => frame.contentWindow.location.hash.slice(1);

		frame.addEventListener("load", () => {
			const inside = frame.contentWindow, { history } = inside;
			if (!shown || inside.location.href === "about:blank")
				return;
			inside.document.documentElement.classList.add("framed");
			for (const name of ["pushState", "replaceState"]) {
				const original = history[name].bind(history);
				history[name] = (...words) => {
					original(...words);
					changed(innerNow());
				};
			}
			inside.addEventListener("hashchange", () => changed(innerNow()));
			frame.dataset.shown = shown;
		});

		return {
			element: frame,
			/* Without an entry of the history of its own. */
			show(address, inner) {
				if (address === shown) {
					if (innerNow() !== inner)
						frame.contentWindow.location.hash = inner;
					return;
				}
				shown = address;
				delete frame.dataset.shown;
				frame.contentWindow.location.replace(new URL(address, location.href) +
					(inner ? "#" + inner : ""));
			},
			again() {
				shown = "";
			},
		};
	}

	return { create };
})();
