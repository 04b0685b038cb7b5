/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What makes the SVG of cupel flamegraph interactive: zoom, search, tooltips, and the state in the
 * URL. It reads everything from the document: fg:x and fg:w of a frame are its place and width in
 * weight, fg:i says more about it. No network, no eval, no dialogs. */
"use strict";
(function () {
	const FG = "http://github.com/jonhoo/inferno";
	const SVG = "http://www.w3.org/2000/svg";
	const HTML = "http://www.w3.org/1999/xhtml";
	const PAD = 10;         /* beside the frames */
	const TEXT_PAD = 3;     /* inside a frame */
	const HIT_COLORS = ["rgb(230,0,230)", "rgb(0,190,235)", "rgb(255,214,0)", "rgb(60,205,90)",
		"rgb(255,120,110)"];

	let svg, area, details, matched, unzoom, search, ignorecase, tip;
	let frames = [], byPlace = [], byGroup = new Map();
	let total = 1, hidden = 0, unit = "samples", nameType = "Function:";
	let charWidth = 7.2, fontSize = 12, rowHeight = 16;
	let zoomed = null, findBox = null, findText = "", ignoreCase = false, hovered = null;

	function byId(id) {
		return svg.getElementById(id);
	}

	function number(element, name, otherwise) {
		const value = parseFloat(element.getAttributeNS(FG, name));
		return isFinite(value) ? value : otherwise;
	}

	/* "NAME (1,234 samples, 5.67%)" → NAME */
	function nameOf(title) {
		return title.replace(/ \([^()]*\)$/, "");
	}

	/* A frame is a group of title, rectangle and text, in this order. */
	function readFrames() {
		const ys = new Map();
		for (let g = area.firstElementChild; g; g = g.nextElementSibling) {
			const title = g.firstElementChild, rect = title.nextElementSibling;
			const f = {
				g: g, rect: rect, text: rect.nextElementSibling, titleElement: title,
				title: title.textContent, x: number(rect, "x", 0), w: number(rect, "w", 0),
				y: parseFloat(rect.getAttribute("y")), fill: rect.getAttribute("fill"),
				small: g.getAttribute("class") === "m", hit: false, row: 0,
				shown: true, parent: false, left: 0, wide: 0, label: null,
			};
			f.name = nameOf(f.title);
			f.left = f.x / total; /* as drawn */
			f.wide = f.w / total;
			ys.set(f.y, 0);
			frames.push(f);
			byGroup.set(g, f);
		}
		const rows = Array.from(ys.keys()).sort((a, b) => a - b);
		if (frames.length && frames[0].y !== rows[0])
			rows.reverse(); /* the root is the first frame, wherever it is drawn */
		rows.forEach((y, i) => ys.set(y, i));
		frames.forEach(f => { f.row = ys.get(f.y); });
		byPlace = frames.slice().sort((a, b) => a.x - b.x || a.row - b.row);
	}

	function areaWidth() {
		return Math.max(svg.getBoundingClientRect().width - 2 * PAD, 50);
	}

	function measureText() {
		const probe = document.createElementNS(SVG, "text");
		probe.textContent = "0000000000";
		area.appendChild(probe);
		const width = probe.getComputedTextLength() / 10;
		area.removeChild(probe);
		if (width > 0)
			charWidth = width;
	}

	function fit(name, width) {
		const room = Math.floor((width - 2 * TEXT_PAD) / charWidth);
		if (room < 3)
			return "";
		return name.length <= room ? name : name.slice(0, room - 1) + "…";
	}

	function show(f, shown) {
		if (f.shown !== shown) {
			f.shown = shown;
			f.g.classList.toggle("hide", !shown);
		}
		return shown;
	}

	/* Changes only what differs from what is drawn: the document may be large. */
	function draw(f, left, wide, parent, width) {
		if (f.left !== left || f.wide !== wide) {
			f.left = left;
			f.wide = wide;
			f.rect.setAttribute("x", (left * 100).toFixed(4) + "%");
			f.rect.setAttribute("width", (wide * 100).toFixed(4) + "%");
			f.label = null;
		}
		if (f.parent !== parent) {
			f.parent = parent;
			f.g.classList.toggle("parent", parent);
		}
		const label = fit(f.name, wide * width);
		if (f.label === null && !label && !f.text.firstChild)
			f.label = "";
		if (f.label !== label || label) {
			if (f.label !== label)
				f.text.textContent = f.label = label;
			f.text.setAttribute("x", (left * 100 + TEXT_PAD * 100 / width).toFixed(4) + "%");
		}
	}

	/* Places all frames for the zoomed one and the present width of the window. */
	function place() {
		const root = zoomed || frames[0], from = root.x, to = root.x + root.w;
		const width = areaWidth();
		area.setAttribute("width", width);
		for (const f of frames) {
			const parent = f.row < root.row;
			if (show(f, f.x < to && f.x + f.w > from &&
				(!parent || (f.x <= from && f.x + f.w >= to))))
				draw(f, parent ? 0 : (f.x - from) / root.w, parent ? 1 : f.w / root.w, parent,
					width);
		}
		unzoom.classList.toggle("hide", !zoomed);
	}

	function percent(part, whole) {
		return (whole ? part * 100 / whole : 0).toFixed(2) + "%";
	}

	/* Weight under the outermost of the given frames within [from, to): no weight counts twice,
	 * however often a function calls itself. Frames come in order of their left edge, outer ones
	 * first. */
	function union(list, from, to) {
		let sum = 0, end = from;
		for (const f of list) {
			const left = Math.max(f.x, end), right = Math.min(f.x + f.w, to);
			if (right > left) {
				sum += right - left;
				end = right;
			}
		}
		return sum;
	}

	function matcher(term) {
		try {
			return { regex: new RegExp(term, ignoreCase ? "i" : ""), wrong: false };
		} catch (error) { /* not a regular expression: search for the text itself */
			const plain = term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
			return { regex: new RegExp(plain, ignoreCase ? "i" : ""), wrong: true };
		}
	}

	function clearHits() {
		for (const f of frames) {
			if (f.hit) {
				f.rect.setAttribute("fill", f.fill);
				f.g.classList.remove("hit");
				f.hit = false;
			}
		}
	}

	/* Several terms are separated by ";", which no frame of folded text holds. */
	function applySearch() {
		const terms = findText.split(";").map(t => t.trim()).filter(t => t);
		const root = zoomed || frames[0];
		const all = [], parts = [];
		let wrong = false;
		clearHits();
		terms.forEach((term, i) => {
			const m = matcher(term), hits = byPlace.filter(f => f.row && !f.small && m.regex.test(f.name));
			wrong = wrong || m.wrong;
			for (const f of hits) {
				if (!f.hit) {
					f.hit = true;
					f.rect.setAttribute("fill", HIT_COLORS[i % HIT_COLORS.length]);
					f.g.classList.add("hit");
					all.push(f);
				}
			}
			parts.push({ term: term, hits: hits });
		});
		all.sort((a, b) => a.x - b.x || a.row - b.row);
		if (findBox)
			findBox.classList.toggle("wrong", wrong);
		showMatched(root, all, parts);
	}

	function showMatched(root, all, parts) {
		const to = root.x + root.w;
		const share = list => percent(union(list.filter(f => f.row >= root.row), root.x, to), root.w);
		let text = "";
		if (parts.length) {
			text = "Matched: " + share(all);
			if (parts.length > 1)
				text += " (" + parts.map(p => p.term + " " + share(p.hits)).join(", ") + ")";
			if (zoomed)
				text += " of the zoomed frame, " + percent(union(all, 0, total), total) + " of all";
			if (hidden)
				text += "; " + percent(hidden, total) + " is in frames too small to search";
		}
		matched.textContent = text;
		matched.classList.toggle("hide", !text);
		search.classList.toggle("hide", !!findBox);
	}

	function openFind() {
		if (findBox) {
			findBox.focus();
			findBox.select();
			return;
		}
		const holder = document.createElementNS(SVG, "foreignObject");
		holder.setAttribute("id", "findholder");
		holder.setAttribute("width", 250);
		holder.setAttribute("height", 26);
		findBox = document.createElementNS(HTML, "input");
		findBox.setAttribute("id", "find");
		findBox.setAttribute("type", "search");
		findBox.setAttribute("placeholder", "regular expressions, separated by ;");
		findBox.setAttribute("aria-label", "search for functions");
		findBox.value = findText;
		holder.appendChild(findBox);
		svg.appendChild(holder);
		placeFind();
		findBox.addEventListener("input", () => setFind(findBox.value));
		findBox.addEventListener("keydown", e => {
			e.stopPropagation();
			if (e.key === "Escape")
				closeFind();
			else if (e.key === "Enter")
				findBox.blur();
			else
				toggleCaseKey(e);
		});
		search.classList.add("hide");
		findBox.focus();
		findBox.select();
	}

	function placeFind() {
		const holder = byId("findholder");
		if (!holder)
			return;
		holder.setAttribute("x", svg.getBoundingClientRect().width - PAD - 250 - 24);
		holder.setAttribute("y", 7);
		follow();
	}

	function closeFind() {
		const holder = byId("findholder");
		if (holder)
			holder.remove();
		findBox = null;
		setFind("");
	}

	function setFind(text) {
		findText = text;
		applySearch();
		saveState();
	}

	function toggleCase() {
		ignoreCase = !ignoreCase;
		ignorecase.classList.toggle("on", ignoreCase);
		applySearch();
	}

	function toggleCaseKey(e) {
		if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "i") {
			e.preventDefault();
			toggleCase();
			return true;
		}
		return false;
	}

	function zoomTo(f) {
		zoomed = f && f !== frames[0] ? f : null;
		hideTip();
		place();
		applySearch();
		saveState();
	}

	/* The frame's parent: the nearest one row further out that spans it. */
	function parentOf(f) {
		return frames.find(p => p.row === f.row - 1 && p.x <= f.x && p.x + p.w >= f.x + f.w);
	}

	function pathOf(f) {
		const path = [];
		for (; f && f.row > 0; f = parentOf(f))
			path.unshift(f.name);
		return path;
	}

	function frameAt(path) {
		let at = frames[0];
		for (const name of path) {
			const outer = at;
			at = frames.find(f => f.row === outer.row + 1 && f.name === name &&
				f.x >= outer.x && f.x + f.w <= outer.x + outer.w);
			if (!at)
				return outer;
		}
		return at;
	}

	/* Names, not pixels: the link still fits another width or a newer profile. */
	function saveState() {
		const parts = [];
		if (zoomed)
			parts.push("zoom=" + pathOf(zoomed).map(encodeURIComponent).join(";"));
		if (findText)
			parts.push("s=" + encodeURIComponent(findText));
		try {
			history.replaceState(null, "", parts.length ? "#" + parts.join("&") :
				location.pathname + location.search);
		} catch (error) {
			/* some embedders forbid it: the link is a comfort, not a need */
		}
	}

	function loadState() {
		const text = location.hash.slice(1) || location.search.slice(1);
		for (const part of text.split("&")) {
			const key = part.slice(0, part.indexOf("=")), value = part.slice(part.indexOf("=") + 1);
			try {
				if (key === "zoom") {
					const f = frameAt(value.split(";").map(decodeURIComponent));
					zoomed = f === frames[0] ? null : f;
				}
				if (key === "s")
					findText = decodeURIComponent(value);
			} catch (error) {
				/* a damaged link shows the whole picture */
			}
		}
	}

	function selfOf(f) {
		let inner = 0;
		for (const c of frames)
			if (c.row === f.row + 1 && c.x >= f.x && c.x + c.w <= f.x + f.w)
				inner += c.w;
		return Math.max(f.w - inner, 0);
	}

	function wrap(text, room) {
		const lines = [];
		for (; text.length > room && lines.length < 9; text = text.slice(room))
			lines.push(text.slice(0, room));
		lines.push(text.length > room ? text.slice(0, room - 1) + "…" : text);
		return lines;
	}

	function tipLines(f) {
		const counts = f.title.slice(f.name.length).replace(/^ \(|\)$/g, "");
		const info = f.g.getAttributeNS(FG, "i");
		const shares = [counts.replace(/, ([^,]*)$/, " · $1 of all")];
		const lines = wrap(f.name, 72).map(text => ({ text: text, soft: false }));
		if (zoomed && f.row >= zoomed.row)
			shares.push(percent(f.w, zoomed.w) + " of the zoomed frame");
		if (!f.small)
			shares.push(percent(selfOf(f), total) + " in itself");
		if (info)
			wrap(info, 72).forEach(text => lines.push({ text: text, soft: true }));
		lines.push({ text: shares.join(" · "), soft: true });
		return lines;
	}

	function showTip(f, e) {
		const box = svg.getBoundingClientRect();
		const lines = tipLines(f), step = fontSize + 5;
		while (tip.firstChild)
			tip.removeChild(tip.firstChild);
		const back = tip.appendChild(document.createElementNS(SVG, "rect"));
		let width = 0;
		lines.forEach((line, i) => {
			const text = tip.appendChild(document.createElementNS(SVG, "text"));
			text.textContent = line.text;
			text.setAttribute("x", 9);
			text.setAttribute("y", step * (i + 1) + 2);
			if (line.soft)
				text.setAttribute("class", "soft");
			width = Math.max(width, text.getComputedTextLength());
		});
		const height = step * lines.length + 12;
		back.setAttribute("rx", 5);
		back.setAttribute("width", width + 18);
		back.setAttribute("height", height);
		tip.classList.remove("hide");
		moveTip(e, box, width + 18, height);
	}

	function moveTip(e, box, width, height) {
		let x = e.clientX - box.left + 14, y = e.clientY - box.top + 18;
		if (x + width > box.width - 4)
			x = Math.max(e.clientX - box.left - width - 10, 4);
		if (y + height > box.height - 4 || e.clientY + 18 + height > window.innerHeight)
			y = Math.max(e.clientY - box.top - height - 10, 4);
		tip.setAttribute("transform", "translate(" + x + "," + y + ")");
	}

	function hideTip() {
		tip.classList.add("hide");
		if (hovered)
			hovered.titleElement.textContent = hovered.title; /* the browser's own tooltip */
		hovered = null;
		details.textContent = " ";
	}

	function groupOf(target) {
		const g = target.closest ? target.closest("#frames g") : null;
		return g ? byGroup.get(g) : null;
	}

	function onMove(e) {
		const f = groupOf(e.target);
		if (!f) {
			hideTip();
			return;
		}
		if (f !== hovered) {
			hideTip();
			hovered = f;
			f.titleElement.textContent = ""; /* ours says more */
			details.textContent = nameType + " " + f.title +
				(zoomed && f.row >= zoomed.row ?
					", " + percent(f.w, zoomed.w) + " of the zoomed frame" : "");
		}
		showTip(f, e);
	}

	function onKey(e) {
		const key = e.key.toLowerCase();
		if (((e.ctrlKey || e.metaKey) && key === "f") || e.key === "F3" ||
			(e.key === "/" && !e.ctrlKey)) {
			e.preventDefault();
			openFind();
		} else if (e.key === "Escape") {
			if (findBox || findText)
				closeFind();
			else
				zoomTo(null);
		} else {
			toggleCaseKey(e);
		}
	}

	function makeTip() {
		tip = document.createElementNS(SVG, "g");
		tip.setAttribute("id", "tip");
		tip.setAttribute("class", "hide");
		svg.appendChild(tip);
	}

	/* Controls and details stay in the window when the picture is taller. */
	function follow() {
		const top = Math.max(window.scrollY || 0, 0);
		const height = svg.getBoundingClientRect().height;
		const below = Math.min(top + window.innerHeight - height, 0);
		const move = (element, y) => {
			if (element)
				element.setAttribute("transform", "translate(0," + y + ")");
		};
		[unzoom, search, ignorecase, byId("findholder")].forEach(e => move(e, top));
		[details, matched].forEach(e => move(e, below));
	}

	/* The root is where reading starts. */
	function showRoot() {
		const root = frames[0].rect.getBoundingClientRect();
		if (root.bottom > window.innerHeight)
			window.scrollTo(0, root.bottom + window.scrollY);
	}

	/* From here on the picture follows the width of its window. */
	function makeFluid() {
		svg.removeAttribute("viewBox");
		svg.setAttribute("width", "100%");
	}

	window.init = function () {
		svg = document.querySelector("svg");
		area = byId("frames");
		details = byId("details");
		matched = byId("matched");
		unzoom = byId("unzoom");
		search = byId("search");
		ignorecase = byId("ignorecase");
		if (!area || !area.querySelector("g"))
			return;
		total = parseFloat(area.getAttribute("total_samples"));
		hidden = number(svg, "hidden", 0);
		nameType = svg.getAttributeNS(FG, "nametype") || nameType;
		fontSize = parseFloat(svg.getAttribute("font-size")) || fontSize;
		readFrames();
		[details, matched, unzoom, search, ignorecase].forEach(e => svg.appendChild(e)); /* on top */
		makeTip();
		makeFluid();
		measureText();
		search.classList.remove("hide");
		ignorecase.classList.remove("hide");
		area.addEventListener("click", e => {
			const f = groupOf(e.target);
			if (f && !e.ctrlKey && !e.metaKey)
				zoomTo(f);
		});
		svg.addEventListener("mousemove", onMove);
		svg.addEventListener("mouseleave", hideTip);
		unzoom.addEventListener("click", () => zoomTo(null));
		search.addEventListener("click", openFind);
		ignorecase.addEventListener("click", toggleCase);
		window.addEventListener("keydown", onKey);
		window.addEventListener("resize", () => { place(); placeFind(); follow(); });
		window.addEventListener("scroll", follow);
		loadState();
		place();
		showRoot();
		follow();
		if (findText)
			openFind();
		applySearch();
	};
})();
