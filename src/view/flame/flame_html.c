/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs as HTML pages (see flame_html.h). */
#include "view/flame/flame_html.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "view/flame/flame_facts.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_info.h"
#include "view/flame/flame_merge.h"
#include "view/flame/flame_pack.h"
#include "view/flame/flame_page.h"
#include "view/flame/flame_paint.h"
#include "view/flame/flame_tree.h"

#define TOP_FUNCTIONS 40

extern const char flame_html_js[], flame_html_js_sha256[];
extern const char flame_html_css[], flame_html_css_sha256[];

struct total {
	uint32_t label;
	uint64_t self;
};

static int compare_totals(const void *a, const void *b)
{
	const struct total *x = a, *y = b;

	return x->self != y->self ? (x->self < y->self) - (x->self > y->self)
				  : (x->label > y->label) - (x->label < y->label);
}

/* The functions that spent most in themselves, to be read where scripts are blocked. */
static void put_top(const struct flame_tree *tree, struct buf *ret)
{
	size_t count = tree->labels.count;
	struct total *totals = mem_zalloc(count * sizeof(*totals));

	for (uint32_t i = 0; i < count; i++)
		totals[i].label = i;
	for (size_t i = 0; i < tree->nodes.count; i++)
		totals[tree->nodes.item[i].label].self += tree->nodes.item[i].self;
	qsort(totals, count, sizeof(*totals), compare_totals);
	(void)buf_puts(ret, "<table>\n<tr><th>self</th><th>function</th></tr>\n");
	for (size_t i = 0; i < count && i < TOP_FUNCTIONS && totals[i].self; i++) {
		const struct flame_label *label = &tree->labels.item[totals[i].label];
		const char *name = strtab_get(tree->names, label->name);

		(void)buf_printf(ret, "<tr><td>%.2f%%</td><td>",
				 100.0 * (double)totals[i].self /
					 (double)tree->nodes.item[0].total);
		(void)buf_put_xml(ret, name, strlen(name));
		(void)buf_puts(ret, "</td></tr>\n");
	}
	(void)buf_puts(ret, "</table>\n");
	free(totals);
}

struct words {
	const char *title, *about, *info;
};

static int write_page(const struct flame_tree *tree, const struct flame_graph_options *options,
		      const struct words *words, struct buf *ret, struct err *err)
{
	struct flame_column first = { "first", tree->first };
	struct flame_pack pack = { .tree = tree,
				   .info = words->info,
				   .columns = &first,
				   .column_count = tree->first != NULL };
	struct flame_paint paint;
	struct buf text = { 0 }, top = { 0 };
	int r;

	put_top(tree, &top);
	flame_paint_init(&paint, tree, options);
	pack.colors = paint.labels;
	r = flame_pack_write(&pack, &text, err);

	if (r == 0) {
		struct flame_data data = { "flame-data", text.data };
		struct flame_page page = { .title = words->title,
					   .what = "flame graph",
					   .about = words->about,
					   .script = FLAME_ASSET(flame_html_js),
					   .style = FLAME_ASSET(flame_html_css),
					   .data = &data,
					   .data_count = 1,
					   .without_script = top.data };

		if (options->hosted) {
			page.script_url = "asset/flame_html.js";
			page.style_url = "asset/flame_html.css";
		}
		flame_page_write(&page, ret);
	}
	buf_done(&text);
	buf_done(&top);
	flame_paint_done(&paint);
	return r;
}

int flame_html(const struct profile *profile, const struct flame_graph_options *options,
	       struct buf *ret, struct err *err)
{
	struct flame_facts facts;
	struct flame_tree tree;
	struct buf info = { 0 };
	int r = flame_graph_check(options, err);

	if (r)
		return r;
	r = flame_tree_build(profile, options, &tree, err);
	if (r)
		return r;
	flame_facts_collect(profile, &tree, options, NULL, &facts);
	flame_info_put(profile, &tree, options, &facts, &info);
	r = write_page(&tree, options,
		       &(struct words){ facts.title.data, facts.about.data, info.data }, ret, err);
	buf_done(&info);
	flame_facts_done(&facts);
	flame_tree_done(&tree);
	return r;
}
