/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing on a canvas that is as large as its window, whatever the height of the picture: the
 * element around it scrolls, and only the rows in sight are drawn. */
const flameCanvas = (() => {
	const TEXT_PAD = 3, HATCH = 6, HATCH_COLOR = "#c6c6c3";
	const PAPER_RATIO = 2, PAPER_WIDTH = 3000, PAPER_SHAPE = 2; /* width by height */
	const MOST_SIDE = 16000, MOST_PX = 4e7; /* browsers have no larger canvases */

	/* Diagonal strokes. */
	function makeHatch(context) {
		const tile = document.createElement("canvas"), pen = tile.getContext("2d");
		tile.width = tile.height = HATCH;
		pen.strokeStyle = HATCH_COLOR;
		for (const at of [-HATCH, 0, HATCH]) {
			pen.moveTo(at - 1, HATCH + 1);
			pen.lineTo(at + HATCH + 1, -1);
		}
		pen.stroke();
		return context.createPattern(tile, "repeat");
	}

	function create(host, rowHeight, fontSize) {
		const spacer = host.appendChild(document.createElement("div"));
		const canvas = spacer.appendChild(document.createElement("canvas"));
		const context = canvas.getContext("2d"), hatch = makeHatch(context);
		let scene = null, charWidth = 0, ratio = 1, width = 0, height = 0;
		let atRoot = true; /* scrolled there, where it stays while sizes change */
		let paper = false; /* then all rows are drawn, wide enough to fill a page */
		const map = flameMap.create(host, () => spacer.clientHeight);
		spacer.className = "spacer";

		function font(style) {
			return style + fontSize + "px " + getComputedStyle(host).getPropertyValue("--mono");
		}

		function resize() {
			ratio = window.devicePixelRatio || 1;
			if (paper && scene) {
				const before = width;
				height = Math.max(scene.rows * rowHeight, 1);
				width = Math.max(width, Math.min(Math.round(height * PAPER_SHAPE), PAPER_WIDTH));
				scene.scale *= width / before;
				ratio = Math.min(Math.max(ratio, PAPER_RATIO), MOST_SIDE / Math.max(width, height),
					Math.sqrt(MOST_PX / width / height));
			} else {
				width = host.clientWidth;
				height = host.clientHeight;
			}
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
			canvas.style.width = width + "px";
			canvas.style.height = height + "px";
			context.setTransform(ratio, 0, 0, ratio, 0, 0);
			context.font = font("");
			charWidth = context.measureText("0000000000").width / 10;
		}

		/* Top of a row, in the picture. The root is at the bottom unless inverted. */
		function top(row) {
			const rows = Math.max(scene.rows * rowHeight, height - 1);
			return scene.inverted ? row * rowHeight : rows - (row + 1) * rowHeight;
		}

		function paintBox(i, offset) {
			const { boxes, scale } = scene, x = boxes.left[i] * scale;
			const wide = boxes.width[i] * scale, y = top(boxes.row[i]) - offset;
			if (y > height || y + rowHeight < 0)
				return;
			const look = scene.look(i);
			context.globalAlpha = look.faded ? 0.55 : 1;
			context.fillStyle = look.texture ?
				stateTexture.paint(context, { color: look.fill, texture: look.texture }, -offset) : look.fill;
			context.fillRect(x, y, Math.max(wide - (wide > 2 ? 0.6 : 0), 0.4), rowHeight - 1);
			if (look.hatched && wide > 2) {
				context.fillStyle = hatch;
				context.fillRect(x, y, wide - 0.6, rowHeight - 1);
			}
			if (scene.stroke) {
				context.strokeStyle = scene.stroke;
				context.lineWidth = 1;
				context.strokeRect(x + 0.5, y + 0.5, Math.max(wide - 1, 0.5), rowHeight - 2);
			}
			paintBars(scene.bars(i), x, y, wide - (wide > 2 ? 0.6 : 0));
			const text = fit(scene.label(i), wide);
			context.globalAlpha = 1;
			if (text) {
				context.fillStyle = look.dark ? "#fff" : "#000";
				context.font = font(look.italic ? "italic " : "");
				context.fillText(text, x + TEXT_PAD, y + rowHeight / 2 + fontSize * 0.34);
			}
		}

		function paintBars(bars, x, y, wide) {
			let left = x;
			for (const bar of bars) {
				context.fillStyle = bar.color;
				context.fillRect(left, y, bar.share * wide, 3);
				left += bar.share * wide;
			}
		}

		function fit(name, wide) {
			return flameText.fit(name, Math.floor((wide - 2 * TEXT_PAD) / charWidth), scene.cutLeft);
		}

		function outline(i, offset) {
			const { boxes, scale } = scene;
			context.globalAlpha = 1;
			context.strokeStyle = getComputedStyle(host).getPropertyValue("--ink");
			context.lineWidth = 2;
			context.strokeRect(boxes.left[i] * scale + 1, top(boxes.row[i]) - offset + 1,
				Math.max(boxes.width[i] * scale - 2, 1), rowHeight - 3);
		}

		function paint() {
			const offset = paper ? 0 : host.scrollTop;
			hatch.setTransform(new DOMMatrix([1, 0, 0, 1, 0, -offset % HATCH]));
			context.clearRect(0, 0, width, height);
			for (let i = 0; i < scene.boxes.node.length; i++)
				paintBox(i, offset);
			for (const i of scene.outlined)
				outline(i, offset);
			context.globalAlpha = 1;
		}

		function show() {
			spacer.style.height = Math.max(scene.rows * rowHeight, height - 1) + "px";
			paint();
		}

		function print(starts) {
			if (paper === starts)
				return;
			paper = starts;
			const before = width;
			resize();
			if (!scene)
				return;
			if (!paper)
				scene.scale *= width / before;
			show();
			if (atRoot && !paper && !scene.inverted)
				host.scrollTop = spacer.clientHeight;
		}

		/* Not every browser tells of both. */
		window.addEventListener("beforeprint", () => print(true));
		window.addEventListener("afterprint", () => print(false));
		matchMedia("print").addEventListener("change", event => print(event.matches));

		host.addEventListener("scroll", () => {
			if (paper)
				return;
			/* Of the height that was drawn for: the new one, if any, comes later. */
			atRoot = scene && !scene.inverted &&
				host.scrollTop + height > spacer.clientHeight - rowHeight;
			if (scene) {
				paint();
				map.follow();
			}
		});
		resize();
		return {
			width: () => width,
			resize,
			draw(next) {
				const first = !scene || scene.inverted !== next.inverted;
				scene = next;
				if (paper || matchMedia("print").matches) {
					paper = true;
					resize();
					show();
					return;
				}
				if (map.fits(scene.rows * rowHeight)) {
					scene.scale *= host.clientWidth / width;
					resize();
				}
				spacer.style.height = Math.max(scene.rows * rowHeight, height - 1) + "px";
				if (first || (atRoot && !scene.inverted))
					host.scrollTop = scene.inverted ? 0 : spacer.clientHeight;
				paint();
				map.draw(scene, rowHeight);
			},
			/* The box under the pointer, -1 = none. */
			boxAt(event) {
				const place = canvas.getBoundingClientRect();
				const x = event.clientX - place.left, y = event.clientY - place.top + host.scrollTop;
				for (let i = 0; scene && i < scene.boxes.node.length; i++) {
					const left = scene.boxes.left[i] * scene.scale, above = top(scene.boxes.row[i]);
					if (y >= above && y < above + rowHeight && x >= left &&
						x < left + scene.boxes.width[i] * scene.scale)
						return i;
				}
				return -1;
			},
			/* Where a box is in the window. */
			placeOf(i) {
				const place = canvas.getBoundingClientRect();
				return { x: place.left + Math.max(scene.boxes.left[i] * scene.scale, 0),
					y: place.top + top(scene.boxes.row[i]) - host.scrollTop + rowHeight };
			},
			reveal(i) {
				const y = top(scene.boxes.row[i]);
				if (y < host.scrollTop)
					host.scrollTop = y;
				else if (y + rowHeight > host.scrollTop + height)
					host.scrollTop = y + rowHeight - height;
			},
		};
	}

	return { create };
})();
