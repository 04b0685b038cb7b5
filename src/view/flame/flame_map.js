/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map of a picture that is taller than its window: all of it in a strip, with a frame around what
 * is in sight. Clicking and dragging scroll. */
const flameMap = (() => {
	const WIDE = 64, TALLER = 1.5; /* px; pictures less tall need none */

	/* host: the element that scrolls, in which the picture is `total()` high */
	function create(host, total) {
		const map = flameChrome.make("canvas", { class: "fg-map", "aria-hidden": "true" });
		const whole = document.createElement("canvas");
		map.hidden = true;
		host.after(map);

		function scrollTo(event) {
			const part = event.offsetY / map.clientHeight;
			host.scrollTop = part * total() - host.clientHeight / 2;
		}
		map.addEventListener("pointerdown", event => {
			map.setPointerCapture(event.pointerId);
			scrollTo(event);
		});
		map.addEventListener("pointermove", event => event.buttons && scrollTo(event));

		/* Whether there is one takes width from the picture: to be asked before that is drawn. */
		function fits(rows) {
			const shown = rows > TALLER * host.clientHeight;
			const changed = map.hidden === shown;
			map.hidden = !shown;
			host.classList.toggle("mapped", shown);
			return changed;
		}

		function draw(scene, rowHeight) {
			if (map.hidden)
				return;
			const place = host.getBoundingClientRect(), all = total();
			const wide = scene.scale * WIDE / host.clientWidth;
			map.style.top = place.top + "px";
			whole.width = map.width = WIDE;
			whole.height = map.height = Math.max(1, Math.round(place.height));
			const pen = whole.getContext("2d"), high = rowHeight * map.height / all;
			scene.boxes.node.forEach((node, i) => {
				const row = scene.boxes.row[i];
				pen.fillStyle = scene.look(i).fill;
				pen.fillRect(scene.boxes.left[i] * wide,
					scene.inverted ? row * high : map.height - (row + 1) * high,
					Math.max(scene.boxes.width[i] * wide, 0.3), Math.max(high, 0.5));
			});
			follow();
		}

		function follow() {
			if (map.hidden)
				return;
			const pen = map.getContext("2d"), scale = map.height / total();
			pen.clearRect(0, 0, map.width, map.height);
			pen.drawImage(whole, 0, 0);
			pen.strokeStyle = getComputedStyle(host).getPropertyValue("--ink");
			pen.lineWidth = 2;
			pen.strokeRect(1, host.scrollTop * scale + 1, WIDE - 2,
				Math.max(host.clientHeight * scale - 2, 4));
		}

		return { fits, draw, follow };
	}

	return { create };
})();
