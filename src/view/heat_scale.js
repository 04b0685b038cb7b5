/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours of heat, 0 to 1; the page may be light or dark. */
const heatScale = (() => {
	/* From no heat to most: distinguished by lightness alone. */
	const LIGHT = [[250, 247, 240], [253, 219, 163], [247, 160, 85], [220, 85, 40], [140, 22, 30],
		[60, 5, 25]];
	const DARK = [[30, 31, 36], [80, 35, 60], [150, 45, 60], [220, 90, 45], [250, 170, 80],
		[255, 245, 200]];
	const dark = matchMedia("(prefers-color-scheme: dark)");

	function rampOf(colors) {
		return Array.from({ length: 64 }, (_, i) => {
			const at = i / 63 * (colors.length - 1), low = Math.min(Math.floor(at), colors.length - 2);
			return "rgb(" + colors[low].map((v, k) =>
				Math.round(v + (colors[low + 1][k] - v) * (at - low))).join(",") + ")";
		});
	}

	const light = rampOf(LIGHT), darkRamp = rampOf(DARK);

	/* A little heat never looks like none. */
	function color(heat) {
		const isPaper = document.documentElement.classList.contains("paper");
		const ramp = dark.matches && !isPaper ? darkRamp : light;
		return ramp[heat > 0 ? 4 + Math.min(59, Math.floor(59 * Math.min(heat, 1))) : 0];
	}

	/* Legends: squares with their meaning, for values from least to most. text: value →
	 * words */
	function legend(values, heatOf, text) {
		return values.map(value => {
			const square = document.createElement("span"), item = document.createElement("span");
			square.className = "heat-square";
			square.style.background = color(heatOf(value));
			item.append(square, text(value));
			return item;
		});
	}

	return { color, legend };
})();
