/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons as HTML pages (see diff_page.h). */
#include "view/diff/diff_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/diff/diff.h"
#include "view/diff/diff_facts.h"
#include "view/diff/diff_text.h"
#include "view/diff/diff_tree.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_pack.h"
#include "view/flame/flame_page.h"
#include "view/flame/flame_paint.h"

extern const char diff_page_js[], diff_page_js_sha256[];
extern const char diff_page_css[], diff_page_css_sha256[];

static int write_page(const struct diff *diff, const struct flame_pack *pack,
		      const struct diff_page_options *options, struct buf *ret, struct err *err)
{
	struct diff_text_options plain = { .before = "before", .after = "after" };
	struct buf text = { 0 }, table = { 0 }, html = { 0 }, sides = { 0 };
	int r = flame_pack_write(pack, &text, err);

	if (r == 0) {
		struct flame_data data = { "flame-data", text.data };
		struct flame_page page = { .title = diff_title(options),
					   .script = FLAME_ASSET(diff_page_js),
					   .style = FLAME_ASSET(diff_page_css),
					   .data = &data,
					   .data_count = 1 };

		if (options->hosted) {
			page.script_url = "asset/diff_page.js";
			page.style_url = "asset/diff_page.css";
		}
		diff_facts_sides(diff, options, &sides);
		page.about = sides.data;
		diff_text(diff, &plain, &table);
		(void)buf_puts(&html, "<pre>");
		(void)buf_put_xml(&html, table.data, table.len);
		(void)buf_puts(&html, "</pre>\n");
		page.without_script = html.data;
		flame_page_write(&page, ret);
	}
	buf_done(&text);
	buf_done(&table);
	buf_done(&html);
	buf_done(&sides);
	return r;
}

int diff_page(const struct diff *diff, const struct diff_page_options *options, struct buf *ret,
	      struct err *err)
{
	struct flame_graph_options looks = { 0 };
	struct diff_columns columns;
	struct diff_tree tree;
	struct buf info = { 0 };
	rgb *colors;
	int r;

	diff_tree_make(diff, &tree);
	diff_columns_make(diff, &tree, &columns);
	colors = flame_paint_labels(&tree.flame, &looks);
	diff_facts_info(diff, options, &info);
	r = write_page(diff,
		       &(struct flame_pack){ .tree = &tree.flame,
					     .colors = colors,
					     .info = info.data,
					     .columns = columns.column,
					     .column_count = DIFF_COLUMNS },
		       options, ret, err);
	buf_done(&info);
	free(colors);
	diff_columns_done(&columns);
	diff_tree_done(&tree);
	return r;
}
