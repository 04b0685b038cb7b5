/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of diff_page.c. */
const diffPage = (() => {
	async function open() {
		const page = document.getElementById("page");
		if (typeof DecompressionStream === "undefined") {
			page.textContent =
				"This browser cannot decompress the data: DecompressionStream is missing.";
			return;
		}
		const data = document.getElementById("flame-data");
		const base = await flameData.unpack(data.textContent);
		data.remove();
		const hooks = diffHooks.make(base);
		const view = flameHtml.open(page, base, hooks);
		page.querySelector(".fg-head").after(hooks.bar(view));
		window.cupel = { view };
		document.documentElement.dataset.ready = "1";
	}

	return { open };
})();
flameHtml.whileLoading(diffPage.open);
