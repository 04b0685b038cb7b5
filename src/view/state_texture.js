/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours with textures, as state_kind.c gives them: { color: "#rrggbb", texture: SVG path in a
 * tile, "" = none }. ORDER: STATE_TILE */
const stateTexture = (() => {
	const TILE = 8, known = new Map();

	function tileOf({ color, texture }) {
		const key = color + texture;
		if (!known.has(key)) {
			const tile = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");
			tile.width = tile.height = TILE;
			const pen = tile.getContext("2d");
			const bytes = [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16));
			pen.fillStyle = color;
			pen.fillRect(0, 0, TILE, TILE);
			pen.strokeStyle = flameData.isDark(bytes) ? "#ffffff47" : "#00000047";
			pen.stroke(new Path2D(texture));
			known.set(key, tile);
		}
		return known.get(key);
	}

	/* For fillStyle; the texture begins at `offset` px from the top. */
	function paint(context, kind, offset = 0) {
		if (!kind.texture)
			return kind.color;
		const pattern = context.createPattern(tileOf(kind), "repeat");
		if (offset)
			pattern.setTransform(new DOMMatrix([1, 0, 0, 1, 0, offset % TILE]));
		return pattern;
	}

	/* A square with the texture, for legends and tooltips. */
	function swatch(kind) {
		const square = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");
		square.width = square.height = 12;
		square.className = "swatch";
		const pen = square.getContext("2d");
		pen.fillStyle = paint(pen, kind);
		pen.fillRect(0, 0, 12, 12);
		return square;
	}

	return { paint, swatch };
})();
