/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of flame_html.c: title, bar, picture, and the text below it. */
const flameHtml = (() => {
	const { make } = flameChrome;

	/* Applies the options for colours and fonts. The page's policy permits styles that
	 * scripts set. */
	function applyLooks(info) {
		const style = document.documentElement.style;
		const set = (name, value) => value && style.setProperty(name, value);
		for (const name of info.uicolor ? ["--ink", "--soft", "--link"] : [])
			set(name, info.uicolor);
		set("--mono", info.fonttype);
		if (info.background) {
			style.colorScheme = "light";
			document.body.style.background =
				"linear-gradient(" + info.background[0] + ", " + info.background[1] + ")";
			for (const [name, value] of [["--paper", info.background[1]], ["--raised", "#ffffff"],
				["--line", "#c9c6bf"], ["--warn", "#7c2d12"]])
				set(name, value);
			if (!info.uicolor)
				for (const [name, value] of [["--ink", "#1d1d1f"], ["--soft", "#4c4c52"],
					["--link", "#174ea6"]])
					set(name, value);
		}
	}

	/* Puts a viewer of `tree` into `page`; hooks as in flame_view.js. */
	function open(page, tree, hooks) {
		const info = tree.info;
		applyLooks(info);
		const head = make("header", { class: "fg-head" });
		const host = make("div", { class: "fg-host" });
		const picture = make("div", { class: "fg-picture", id: "frames", tabindex: "0", role: "tree",
			"aria-label": info.title || "flame graph", "aria-activedescendant": "fg-item" });
		const item = make("div", { id: "fg-item", role: "treeitem", class: "fg-unseen" },
			info.title || "all");
		const details = make("div", { id: "details" }, " "), matched = make("div", { id: "matched" });
		page.append(head, host, picture, make("footer", { class: "fg-foot" }, details, matched));
		for (const [id, text] of [["title", info.title], ["subtitle", info.subtitle],
			["about", info.about], ["hint", info.hint], ["missing", info.missing]])
			if (text)
				head.append(make(id === "title" ? "h1" : "p", { id }, text));
		for (const line of (info.remedies || "").split("\n").filter(text => text))
			head.append(make("p", { class: "remedy" }, line));
		const surface = flameCanvas.create(picture, Math.max(info.rowheight || 16,
			matchMedia("(pointer: coarse)").matches ? 24 : 0), info.fontsize || 12);
		picture.append(item);
		const view = flameView.create({ tree, surface, host, hooks, output: {
			details: text => { details.textContent = text; },
			matched: parts => flameText.fill(matched, parts),
			zoomed: () => {},
			about: words => {
				for (const [id, text] of Object.entries(words))
					if (document.getElementById(id))
						document.getElementById(id).textContent = text;
			},
			focused: (node, text, shown) => flameA11y.describe(item, shown, node, text),
		} });
		picture.addEventListener("mousemove", view.hover);
		picture.addEventListener("mouseleave", view.leave);
		picture.addEventListener("click", view.click);
		picture.addEventListener("contextmenu", view.openMenu);
		/* The table is above the picture, below all other parts above it. */
		const panel = host.querySelector(".fg-panel");
		new ResizeObserver(() => {
			panel.style.top = Math.round(picture.getBoundingClientRect().top) + "px";
			surface.resize();
			view.redraw();
		}).observe(picture);
		return view;
	}

	/* Runs what fills the page, which has loaded only when that is done: so what prints a page or
	 * makes a picture of it, when it has loaded, does not get an empty one. An open document in a
	 * frame holds it. */
	async function whileLoading(fill) {
		const frame = document.body.appendChild(make("iframe", { hidden: "" }));
		try {
			if (frame.contentDocument)
				frame.contentDocument.open();
			await fill();
		} finally {
			frame.remove();
		}
	}

	return { open, whileLoading };
})();
