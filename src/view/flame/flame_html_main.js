/* SPDX-License-Identifier: GPL-2.0-or-later */
flameHtml.whileLoading(async () => {
	const page = document.getElementById("page");
	if (typeof DecompressionStream === "undefined") {
		page.textContent = "This browser cannot decompress the data: DecompressionStream is missing.";
		return;
	}
	const data = document.getElementById("flame-data");
	const tree = await flameData.unpack(data.textContent);
	performance.mark("unpacked");
	data.remove();
	window.cupel = { view: flameHtml.open(page, tree) };
	performance.mark("drawn"); /* bench/flame.sh reads these */
	document.documentElement.dataset.ready = "1";
});
