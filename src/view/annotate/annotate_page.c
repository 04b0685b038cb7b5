// SPDX-License-Identifier: GPL-2.0-or-later
/* The page around the data (see annotate_page.h). */
#include "view/annotate/annotate_page.h"

#include "base/buf.h"
#include "view/flame/flame_pack.h"
#include "view/flame/flame_page.h"

extern const char annotate_page_js[], annotate_page_js_sha256[];
extern const char annotate_page_css[], annotate_page_css_sha256[];

int annotate_page(const char *title, const struct buf *json, struct buf *ret, struct err *err)
{
	const struct buf nothing = { 0 };
	struct buf packed = { 0 };
	int code = flame_pack_bytes(json, &nothing, &packed, err);

	if (!code) {
		const struct flame_data data = { "annotate-data", packed.data };
		const struct flame_page page = {
			.title = title,
			.script = FLAME_ASSET(annotate_page_js),
			.style = FLAME_ASSET(annotate_page_css),
			.data = &data,
			.data_count = 1,
			.without_script = "<p>The same as text: cupel annotate</p>\n",
		};

		flame_page_write(&page, ret);
	}
	buf_done(&packed);
	return code;
}
