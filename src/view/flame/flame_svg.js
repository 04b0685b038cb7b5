/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing in the document of flame_graph.c. Its first picture is kept as it came: its boxes are the
 * ones that flame_layout.c placed, in the same order as those of flameModel.boxes(), so nothing is
 * read back from the document. Any other picture replaces it, with only what can be seen. */
const flameSvg = (() => {
	const SVG = "http://www.w3.org/2000/svg";
	const FG = "http://github.com/jonhoo/inferno";
	const PAD = 10, TEXT_PAD = 3;

	function make(tag, attributes) {
		const element = document.createElementNS(SVG, tag);
		for (const name in attributes)
			element.setAttribute(name, attributes[name]);
		return element;
	}

	function measure(family, size) {
		const context = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas")
			.getContext("2d");
		context.font = size + "px " + family;
		return context.measureText("0000000000").width / 10;
	}

	/* In a window of some height, title and warnings stay in view when the frames scroll. */
	function headStays(geometry) {
		return window.innerHeight >= 2.5 * geometry.top;
	}

	/* geometry: { top, bottom, row, fontsize, inner: px of the frames as they came, least: weight of
	 * the narrowest box, inverted } */
	function create(svg, area, geometry) {
		const { row, fontsize } = geometry;
		const charWidth = measure(area.getAttribute("font-family"), fontsize);
		const place = new Map(); /* group → box */
		const firstHeight = geometry.height, firstTop = geometry.top;
		let scene = null, groups = [], fills = [], original = true, outlined = [];

		function width() {
			return Math.max(svg.clientWidth - 2 * PAD, 50);
		}

		function yOf(r) {
			return scene.inverted ? geometry.top + r * row :
				geometry.height - geometry.bottom - (r + 1) * row;
		}

		function label(i) {
			const room = Math.floor((scene.boxes.width[i] * scene.scale - 2 * TEXT_PAD) / charWidth);
			return flameText.fit(scene.label(i), room, scene.cutLeft);
		}

		/* In percent, so that the picture is right while the window changes its width. */
		function groupOf(i, look, all) {
			const left = scene.boxes.left[i] * scene.scale, wide = scene.boxes.width[i] * scene.scale;
			const y = yOf(scene.boxes.row[i]), text = label(i);
			const g = make("g", { class: classOf(i, look) });
			const rect = g.appendChild(make("rect", { x: (left * 100 / all).toFixed(4) + "%", y,
				width: (wide * 100 / all).toFixed(4) + "%", height: row - 1, fill: look.paint || look.fill, rx: 2 }));
			rect.setAttributeNS(FG, "fg:w", scene.boxes.width[i]);
			if (scene.stroke)
				rect.setAttribute("stroke", scene.stroke);
			let at = left;
			for (const bar of scene.bars(i)) {
				g.append(make("rect", { class: "bar", x: (at * 100 / all).toFixed(4) + "%",
					y, width: (bar.share * wide * 100 / all).toFixed(4) + "%",
					height: 3, fill: bar.color }));
				at += bar.share * wide;
			}
			if (text) {
				const name = g.appendChild(make("text", {
					x: ((left + TEXT_PAD) * 100 / all).toFixed(4) + "%",
					y: y + row / 2 + fontsize * 0.34 }));
				name.textContent = text;
			}
			return g;
		}

		function classOf(i, look) {
			const words = [];
			if (scene.boxes.smaller[i])
				words.push("m");
			if (look.dark)
				words.push("w");
			if (look.italic)
				words.push("i");
			if (look.faded)
				words.push("parent");
			if (look.hit)
				words.push("hit");
			return words.join(" ");
		}

		function replace() {
			const all = width();
			original = false;
			place.clear();
			fills = [];
			/* Never less high than it came: the root shall stay where it is. */
			geometry.height = Math.max(firstHeight + geometry.top - firstTop,
				geometry.top + scene.rows * row + geometry.bottom);
			svg.setAttribute("height", geometry.height);
			moveBottom();
			area.setAttribute("width", all);
			groups = scene.boxes.node.map((node, i) => {
				const g = groupOf(i, scene.look(i), all);
				place.set(g, i);
				return g;
			});
			area.replaceChildren(...groups);
		}

		/* The lines below the frames follow the height. */
		function moveBottom() {
			for (const id of ["details", "matched"])
				svg.getElementById(id).setAttribute("y", geometry.height - fontsize * 0.9);
		}

		/* One unit is one pixel in the window; paper, of which nothing is known here, gets all of
		 * it, larger or smaller. */
		function fitPaper() {
			svg.setAttribute("viewBox", "0 0 " + svg.clientWidth + " " + svg.height.baseVal.value);
		}

		/* Only colours may differ. */
		function repaint() {
			groups.forEach((g, i) => {
				const look = scene.look(i), old = fills[i];
				if (old === undefined ? look.hit : old !== look.fill) {
					rectOf(g).setAttribute("fill", look.paint || look.fill);
					g.setAttribute("class", classOf(i, look));
					fills[i] = look.fill;
				}
			});
		}

		function rectOf(g) {
			return g.getElementsByTagNameNS(SVG, "rect")[0];
		}

		function adopt() {
			groups = Array.from(area.children);
			groups.forEach((g, i) => place.set(g, i));
		}

		function outline() {
			for (const g of outlined)
				g.classList.remove("focus");
			outlined = scene.outlined.map(i => groups[i]);
			for (const g of outlined)
				g.classList.add("focus");
		}

		adopt();
		return {
			width,
			resize() {},
			keeps: inverted => original && geometry.top === firstTop && Math.abs(width() - geometry.inner) < 1 &&
				inverted === geometry.inverted,
			draw(next) {
				scene = next;
				if (next.kept && next.boxes.node.length === groups.length)
					repaint();
				else
					replace();
				outline();
				fitPaper();
			},
			boxAt(event) {
				const g = event.target.closest ? event.target.closest("#frames > *") : null;
				const i = g ? place.get(g) : undefined;
				return i === undefined ? -1 : i;
			},
			placeOf(i) {
				const box = groups[i].getBoundingClientRect();
				return { x: box.left, y: box.bottom };
			},
			reveal(i) {
				const box = groups[i].getBoundingClientRect();
				const head = headStays(geometry) ? geometry.top : 40;
				if (box.top < head)
					window.scrollBy(0, box.top - head);
				else if (box.bottom > window.innerHeight)
					window.scrollBy(0, box.bottom - window.innerHeight + 4);
			},
			/* The browser's own tooltip would stand beside ours. */
			quiet(i) {
				const title = groups[i] && groups[i].getElementsByTagNameNS(SVG, "title")[0];
				if (title)
					title.remove();
			},
		};
	}

	return { create, make, headStays };
})();
