/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as an SVG picture (see diff_page.h): the union of both sides, every stack as wide as
 * on its wider side, so that removed stacks are visible. Scripts switch to the widths of one
 * side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/diff/diff.h"
#include "view/diff/diff_facts.h"
#include "view/diff/diff_page.h"
#include "view/diff/diff_tree.h"
#include "view/flame/flame_color.h"
#include "view/flame/flame_graph.h"

#define WHOLE 1e12 /* width of a share of 1 */

/* diff_svg.css fills with it what has the color of too few samples. */
static const char hatch[] = "<defs><pattern id=\"rare\" width=\"6\" height=\"6\" "
			    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
			    "<rect width=\"6\" height=\"6\" fill=\"#ebebe9\"/>"
			    "<rect width=\"1.5\" height=\"6\" fill=\"#c6c6c3\"/>"
			    "</pattern></defs>\n";

extern const char diff_svg_js[], diff_svg_css[];

struct drawing {
	struct flame_given given;
	const struct diff *diff;
	struct diff_tree tree;
};

/* The larger of its shares. */
static double share_of(const struct diff *diff, const struct diff_amount *amount)
{
	double before = diff->total[DIFF_BEFORE].sums.weight;
	double after = diff->total[DIFF_AFTER].sums.weight;

	return fmax(before > 0 ? (double)amount->weight[DIFF_BEFORE] / before : 0,
		    after > 0 ? (double)amount->weight[DIFF_AFTER] / after : 0);
}

/* Even all of it could come or go by chance. */
static bool is_too_rare(const struct diff *diff, const struct diff_amount *amount)
{
	double interval[2];

	diff_interval(&diff->paths, amount, interval);
	return interval[1] - interval[0] > 2 * share_of(diff, amount);
}

/* ORDER: the scale of diff_view.js */
static rgb color_of(const struct diff *diff, const struct diff_amount *amount)
{
	static const rgb fewer[] = { 0xaecbe8, 0x7fb0db, 0x4c8fca, 0x2268ad, 0x0b4a86 };
	static const rgb more[] = { 0xfbc49a, 0xf79c5e, 0xec7331, 0xc94a12, 0x9c2f06 };
	static const double steps[] = { 0.001, 0.003, 0.01, 0.03 };
	double delta = diff_delta(amount);
	size_t at = 0;

	if (!diff_is_significant(&diff->paths, amount))
		return is_too_rare(diff, amount) ? 0xebebe9 : 0xd4d4d2;
	while (at < sizeof(steps) / sizeof(steps[0]) && fabs(delta) >= steps[at])
		at++;
	return delta > 0 ? more[at] : fewer[at];
}

static uint64_t width_of(const struct diff *diff, const struct diff_amount *self)
{
	return (uint64_t)llround(share_of(diff, self) * WHOLE);
}

/* The verdict of a node of the tree; the root of all is node 0. */
static const struct diff_amount *amount_at(const struct flame_given *given, uint32_t node)
{
	const struct drawing *drawing = (const struct drawing *)given;

	return &drawing->tree.node[node]->inclusive;
}

static const char *mark(const struct flame_given *given, uint32_t node)
{
	const struct diff_amount *amount = amount_at(given, node);

	if (!node || (amount->weight[0] && amount->weight[1]))
		return "";
	return amount->weight[0] ? "\xc3\x97 " : "+ ";
}

/* "NAME (1,234 samples, 5.67%; +1.23%) [+0.45, +2.01]": up to the bracket as FlameGraph writes it.
 */
static void put_title(const struct flame_given *given, uint32_t node, struct buf *out)
{
	const struct drawing *drawing = (const struct drawing *)given;
	const struct flame_tree *tree = given->tree;
	const struct flame_label *label = &tree->labels.item[tree->nodes.item[node].label];
	const struct diff_amount *amount = amount_at(given, node);
	const char *name = strtab_get(tree->names, label->name);
	double interval[2];

	(void)buf_put_xml(out, name, strlen(name));
	(void)buf_printf(out, " (%.15g %s, ",
			 (double)amount->weight[DIFF_AFTER] / drawing->diff->scale,
			 given->countname);
	if (!node) {
		(void)buf_puts(out, "100%)");
		return;
	}
	diff_interval(&drawing->diff->paths, amount, interval);
	(void)buf_printf(out, "%.2f%%; %+.2f%%) [%+.2f, %+.2f]%s%s",
			 amount->change.share[DIFF_AFTER] * 100, diff_delta(amount) * 100,
			 interval[0] * 100, interval[1] * 100,
			 diff_is_significant(&drawing->diff->paths, amount) ? ""
			 : is_too_rare(drawing->diff, amount)		    ? ", too few samples"
									    : ", may be chance",
			 !amount->weight[0]   ? ", new"
			 : !amount->weight[1] ? ", gone"
					      : "");
}

static void look(struct drawing *drawing, rgb *colors, uint64_t *widths)
{
	for (size_t i = 0; i < drawing->tree.flame.nodes.count; i++) {
		colors[i] = color_of(drawing->diff, &drawing->tree.node[i]->inclusive);
		widths[i] = width_of(drawing->diff, &drawing->tree.node[i]->self);
	}
}

int diff_svg(const struct diff *diff, const struct diff_page_options *options, struct buf *ret,
	     struct err *err)
{
	struct drawing drawing = { .diff = diff };
	struct flame_graph_options looks = { .minwidth = -1, .title = diff_title(options) };
	struct buf subtitle = { 0 }, about = { 0 }, missing = { 0 }, info = { 0 };
	struct diff_columns columns;
	uint64_t *widths;
	rgb *colors;
	int r;

	diff_tree_make(diff, &drawing.tree);
	diff_columns_make(diff, &drawing.tree, &columns);
	colors = mem_alloc(drawing.tree.flame.nodes.count * sizeof(*colors));
	widths = mem_alloc(drawing.tree.flame.nodes.count * sizeof(*widths));
	look(&drawing, colors, widths);
	diff_facts_sides(diff, options, &subtitle);
	diff_facts_found(diff, &about);
	diff_facts_warnings(options, &missing);
	diff_facts_info(diff, options, &info);
	looks.subtitle = subtitle.data;
	drawing.given = (struct flame_given){
		.tree = &drawing.tree.flame,
		.widths = widths,
		.colors = colors,
		.about = about.data,
		.missing = missing.data,
		.countname = diff_count_name(diff),
		.put_title = put_title,
		.mark = mark,
		.script = diff_svg_js,
		.style = diff_svg_css,
		.defs = hatch,
		.legend = "orange: more, blue: less, grey: may be chance, hatched: too few samples",
		.info = info.data,
		.columns = columns.column,
		.column_count = DIFF_COLUMNS
	};
	r = flame_graph_svg_given(&drawing.given, &looks, ret, err);
	free(colors);
	free(widths);
	buf_done(&subtitle);
	buf_done(&about);
	buf_done(&missing);
	buf_done(&info);
	diff_columns_done(&columns);
	diff_tree_done(&drawing.tree);
	return r;
}
