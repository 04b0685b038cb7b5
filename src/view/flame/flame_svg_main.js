/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The document of flame_graph.c comes alive: it has ids title, details, matched, frames and
 * flame-data. Without this script, or without what it needs, the picture stands still. */
const flameSvgPage = (() => {
	/* "chromium --headless --screenshot" shows nothing of a page that has scrolled. */
	function isSnapshot() {
		return /Headless/.test(navigator.userAgent) && !navigator.webdriver;
	}

	/* The root is where reading starts: the page scrolls to it, or frames move below the title. */
	function showRoot(svg, area) {
		const hidden = svg.height.baseVal.value - window.innerHeight;
		if (hidden <= 0)
			return;
		if (!isSnapshot()) {
			window.scrollTo(0, hidden);
			return;
		}
		const moved = flameSvg.make("g", { id: "fg-moved",
			transform: "translate(0," + -hidden + ")" });
		area.before(moved);
		moved.append(area);
	}

	/* The lines at the top, with what hides frames that scroll below them. */
	function makeHead(svg, area, height) {
		const head = flameSvg.make("g", { id: "fg-head" });
		head.append(flameSvg.make("rect", { class: "fg-cover", width: "100%", height }));
		const lines = ["title", "subtitle", "about", "hint", "missing", "remedies"]
			.map(id => svg.getElementById(id)).filter(line => line);
		head.append(...lines);
		area.after(head);
		return { head, cover: head.firstChild, lines: flameSvgLines.create(lines) };
	}

	async function open(hooksOf, opened) {
		const svg = document.documentElement, byId = id => svg.getElementById(id);
		const area = byId("frames"), data = byId("flame-data");
		if (!area || !data || typeof DecompressionStream === "undefined")
			return;
		const tree = await flameData.unpack(data.textContent);
		const info = tree.info, details = byId("details"), matched = byId("matched");
		const over = flameSvg.make("foreignObject", { id: "over", width: "100%", height: "100%" });
		const host = over.appendChild(flameChrome.make("div", { class: "fg-host" }));
		const item = flameChrome.make("div", { id: "fg-item", role: "treeitem", class: "fg-unseen" },
			info.title || "all");
		svg.setAttribute("width", "100%"); /* from here on it is as wide as its window */
		svg.setAttribute("preserveAspectRatio", "xMidYMin");
		svg.append(details, matched, over);
		matched.classList.remove("hide");
		if (byId("legend")) /* there is one among the controls */
			byId("legend").remove();
		for (const [name, value] of [["tabindex", 0], ["role", "tree"], ["aria-owns", "fg-item"],
			["aria-activedescendant", "fg-item"], ["aria-label", info.title]])
			area.setAttribute(name, value);

		const geometry = info.geometry, initial = { top: geometry.top, controls: geometry.controls };
		const { head, cover, lines } = makeHead(svg, area, geometry.top);
		document.title = [info.title, info.about].filter(text => text).join(" \u00b7 ");

		/* Title, warnings, controls and the lines below stay in the window when the picture is taller. (The client
		 * height of a document's root is the window's.) */
		const height = () => svg.height.baseVal.value;
		function follow() {
			const top = Math.max(window.scrollY, 0);
			const below = Math.min(top + window.innerHeight - height(), 0);
			const stays = flameSvg.headStays(geometry), own = geometry.top - geometry.controls;
			head.setAttribute("transform", "translate(0," + (stays ? top : 0) + ")");
			host.style.top = (stays ? top + own : Math.max(own, top)) + "px";
			for (const element of [details, matched])
				element.setAttribute("transform", "translate(0," + below + ")");
		}

		/* In a narrow window lines and controls are higher than at first: frames begin below them. */
		function settle() {
			const before = geometry.top, added = lines.fold(svg.clientWidth);
			geometry.controls = Math.max(initial.controls, host.offsetHeight + 4);
			geometry.top = Math.ceil(initial.top - initial.controls + added + geometry.controls);
			host.style.setProperty("--below-head", geometry.top - geometry.controls + "px");
			cover.setAttribute("height", geometry.top);
			if (geometry.top !== before)
				view.redraw();
			follow();
		}

		const surface = flameSvg.create(svg, area, geometry);
		const view = flameView.create({ tree, surface, host, hooks: hooksOf ? hooksOf(tree) : {}, output: {
			details: text => { details.textContent = text; },
			matched: parts => flameText.fill(matched, parts),
			zoomed: follow,
			about: words => {
				if (info.about)
					lines.set(byId("about") ? "about" : "subtitle", words.about);
				lines.set("hint", words.hint);
				lines.fold(svg.clientWidth);
			},
			focused: (node, text, shown) => flameA11y.describe(item, shown, node, text),
		} });
		host.append(item);
		if (opened)
			opened(view, host);
		area.addEventListener("mousemove", event => {
			surface.quiet(surface.boxAt(event));
			view.hover(event);
		});
		area.addEventListener("mouseleave", view.leave);
		area.addEventListener("click", view.click);
		area.addEventListener("contextmenu", view.openMenu);
		window.addEventListener("scroll", follow);
		window.addEventListener("resize", settle);
		settle();
		if (!info.inverted)
			showRoot(svg, area);
		follow();
		window.cupel = { view };
		performance.mark("drawn"); /* bench/flame.sh reads it */
		svg.dataset.ready = "1";
	}

	return { open };
})();
