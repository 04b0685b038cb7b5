/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call graphs under report rows as text (see report_graph.h), in the layout of perf report --stdio.
 */
#include "view/report/report_graph.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "view/report/report.h"
#include "view/report/report_chains.h"
#include "view/report/report_table.h"

/* Call chains can be a thousand deep and branch at each level; the drawing stops here. */
#define MAX_DRAWN_DEPTH 256

struct drawing {
	const struct report_chains *tree;
	struct buf *out;
	struct buf prefix; /* the pipes of the open levels */
	uint64_t whole;	   /* weight that percentages refer to */
	uint32_t printed;
};

static void put_value(const struct drawing *drawing, uint32_t node)
{
	const struct report_chain *n = &drawing->tree->nodes.item[node];

	switch (drawing->tree->table->options->graph_value) {
	case REPORT_VALUE_COUNT:
		(void)buf_put_u64(drawing->out, n->total_count);
		break;
	case REPORT_VALUE_PERIOD:
		(void)buf_put_u64(drawing->out, n->total);
		break;
	default:
		(void)buf_printf(drawing->out, "%.2f%%",
				 drawing->whole ? 100.0 * (double)n->total / (double)drawing->whole
						: 0.0);
	}
}

static void put_prefix(const struct drawing *drawing)
{
	(void)buf_append(drawing->out, drawing->prefix.data, drawing->prefix.len);
}

static void draw_children(struct drawing *drawing, uint32_t parent, unsigned depth);

/* One branch: its first line carries the value, the straight run below it follows indented. */
static void draw_branch(struct drawing *drawing, uint32_t node, bool last, unsigned depth)
{
	size_t len = drawing->prefix.len;
	uint32_t next;

	put_prefix(drawing);
	(void)buf_puts(drawing->out, "|          \n");
	put_prefix(drawing);
	(void)buf_puts(drawing->out, last ? " --" : "|--");
	put_value(drawing, node);
	(void)buf_puts(drawing->out, "--");
	report_chains_put_name(drawing->tree, node, drawing->out);
	(void)buf_putc(drawing->out, '\n');
	(void)buf_puts(&drawing->prefix, last ? "           " : "|          ");
	for (; (next = report_chains_straight_on(drawing->tree, node)); node = next) {
		put_prefix(drawing);
		report_chains_put_name(drawing->tree, next, drawing->out);
		(void)buf_putc(drawing->out, '\n');
	}
	draw_children(drawing, node, depth + 1);
	drawing->prefix.len = len;
}

static void draw_children(struct drawing *drawing, uint32_t parent, unsigned depth)
{
	const struct report_options *options = drawing->tree->table->options;
	uint64_t whole = drawing->whole;
	report_chain_list children = { 0 };

	if (depth >= MAX_DRAWN_DEPTH)
		return;
	if (options->graph == REPORT_GRAPH_FRACTAL)
		drawing->whole = drawing->tree->nodes.item[parent].total -
				 drawing->tree->nodes.item[parent].self;
	report_chains_children(drawing->tree, parent, drawing->whole, &children);
	for (size_t i = 0; i < children.count; i++) {
		if (options->graph_print_limit && drawing->printed++ >= options->graph_print_limit)
			break;
		draw_branch(drawing, children.item[i], i + 1 == children.count, depth);
	}
	vec_done(&children);
	drawing->whole = whole;
}

static bool has_shown_child(const struct report_chains *tree, uint32_t node, uint64_t whole)
{
	report_chain_list children = { 0 };
	bool any;

	report_chains_children(tree, node, whole, &children);
	any = children.count > 0;
	vec_done(&children);
	return any;
}

/* With the symbol in the first column the row has just named the function its chain begins with. */
static bool row_names(const struct report_chains *tree, const struct report_row *row, uint32_t node)
{
	const struct report_table *table = tree->table;

	return !table->options->fields && table->keys.count &&
	       strcmp(table->keys.item[0]->name, "symbol") == 0 &&
	       table->values.item[row->first] == tree->nodes.item[node].symbol;
}

static void draw_graph(const struct report_chains *tree, const struct report_row *row,
		       struct buf *out)
{
	struct drawing drawing = { .tree = tree, .out = out, .whole = tree->table->weight };
	uint32_t node = row->graph, only = report_chains_straight_on(tree, node);
	bool skip = only && row_names(tree, row, only), begun = false;

	if (tree->table->options->graph == REPORT_GRAPH_FRACTAL)
		drawing.whole = row->total;
	if (!has_shown_child(tree, node, drawing.whole))
		return;
	(void)buf_puts(&drawing.prefix, "            ");
	/* the run that all of the row's chains share hangs below the row without a value */
	for (; only; node = only, only = report_chains_straight_on(tree, node)) {
		if (skip) { /* the row has just said it */
			skip = false;
			continue;
		}
		if (!begun) {
			put_prefix(&drawing);
			(void)buf_puts(out, "|\n");
			put_prefix(&drawing);
			(void)buf_puts(out, "---");
			(void)buf_puts(&drawing.prefix, "   ");
			begun = true;
		} else
			put_prefix(&drawing);
		report_chains_put_name(tree, only, out);
		(void)buf_putc(out, '\n');
	}
	draw_children(&drawing, node, 0);
	(void)buf_putc(out, '\n');
	buf_done(&drawing.prefix);
}

struct leaf {
	uint32_t node;
	uint64_t self, self_count;
};

typedef VEC(struct leaf) leaf_list;

static int compare_leaves(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* The distinct whole chains of a row: depth first with the path in *path. */
struct path_walk {
	const struct report_chains *tree;
	struct drawing *drawing;
	report_chain_list path;
	leaf_list leaves;
	struct map parent; /* node → parent node */
};

static void find_leaves(struct path_walk *walk, uint32_t root)
{
	const struct report_chains *tree = walk->tree;
	report_chain_list stack = { 0 };

	vec_push(&stack, root);
	while (stack.count) {
		uint32_t node = stack.item[--stack.count];
		const struct report_chain *n = &tree->nodes.item[node];

		if (n->self_count && node != root)
			vec_push(&walk->leaves, ((struct leaf){ node, n->self, n->self_count }));
		for (uint32_t c = n->child; c; c = tree->nodes.item[c].next) {
			map_set(&walk->parent, c, node);
			vec_push(&stack, c);
		}
	}
	vec_done(&stack);
	if (walk->leaves.count)
		qsort(walk->leaves.item, walk->leaves.count, sizeof(*walk->leaves.item),
		      compare_leaves);
}

static void path_to(struct path_walk *walk, uint32_t root, uint32_t node)
{
	walk->path.count = 0;
	while (node != root) {
		uint64_t parent = 0;

		vec_push(&walk->path, node);
		if (!map_get(&walk->parent, node, &parent))
			break;
		node = (uint32_t)parent;
	}
}

static void put_share(const struct path_walk *walk, const struct leaf *leaf, uint64_t whole,
		      struct buf *out)
{
	switch (walk->tree->table->options->graph_value) {
	case REPORT_VALUE_COUNT:
		(void)buf_put_u64(out, leaf->self_count);
		break;
	case REPORT_VALUE_PERIOD:
		(void)buf_put_u64(out, leaf->self);
		break;
	default:
		(void)buf_printf(out, "%.2f%%",
				 whole ? 100.0 * (double)leaf->self / (double)whole : 0.0);
	}
}

static void draw_paths(const struct report_chains *tree, const struct report_row *row,
		       struct buf *out)
{
	bool folded = tree->table->options->graph == REPORT_GRAPH_FOLDED;
	uint64_t whole = tree->table->weight;
	struct path_walk walk = { .tree = tree };

	find_leaves(&walk, row->graph);
	for (size_t i = 0; i < walk.leaves.count; i++) {
		const struct leaf *leaf = &walk.leaves.item[i];

		if ((double)leaf->self < tree->threshold * (double)whole)
			break;
		path_to(&walk, row->graph, leaf->node);
		if (!folded)
			(void)buf_puts(out, "           ");
		put_share(&walk, leaf, whole, out);
		(void)buf_putc(out, folded ? ' ' : '\n');
		for (size_t j = walk.path.count; j-- > 0;) {
			if (!folded)
				(void)buf_puts(out, "                ");
			report_chains_put_name(tree, walk.path.item[j], out);
			(void)buf_puts(out, !folded ? "\n" : j ? ";" : "");
		}
		(void)buf_putc(out, '\n');
	}
	vec_done(&walk.leaves);
	vec_done(&walk.path);
	map_done(&walk.parent);
}

void report_graph_print(struct report_chains *tree, const struct report_row *row, struct buf *ret)
{
	size_t before = ret->len;

	if (!row->graph || !tree->nodes.item[row->graph].child)
		return;
	if (tree->drawn > tree->max_text) {
		tree->cut.graphs++;
		return;
	}
	if (tree->table->options->graph == REPORT_GRAPH_FLAT ||
	    tree->table->options->graph == REPORT_GRAPH_FOLDED)
		draw_paths(tree, row, ret);
	else
		draw_graph(tree, row, ret);
	tree->drawn += ret->len - before;
}
