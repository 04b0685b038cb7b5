/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call graphs under report rows (see report_graph.h). One trie for all rows: a node is (parent
 * node, symbol), rows own a root each. The layout is that of perf report --stdio. */
#include "view/report/report_graph.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "view/report/report.h"
#include "view/report/report_table.h"

/* Call chains can be a thousand deep and branch at each level; the drawing stops here. */
#define MAX_DRAWN_DEPTH 256

/* A chain of depth n may hang below n rows. These bound memory, time and text, so that the latter
 * two are linear in the profile. */
#define MAX_NODES      ((size_t)4 << 20) /* of all graphs */
#define NODE_BYTES     160		 /* with its place in the map */
#define LEAST_STEPS    ((uint64_t)16 << 20)
#define STEPS_PER_NODE 512
#define LEAST_TEXT     ((size_t)16 << 20)
#define TEXT_PER_NODE  1024

struct graph_node {
	uint32_t symbol;      /* UINT32_MAX for a row's root */
	uint32_t child, next; /* node indexes, 0 = none */
	uint64_t total, self; /* weight */
	uint64_t total_count, self_count;
};

struct report_graph_tree {
	const struct report_table *table;
	VEC(struct graph_node) nodes; /* item 0 is unused */
	struct map child_of;	      /* (node, symbol) → node */
	VEC(uint32_t) path;	      /* scratch */
	double threshold;	      /* share of the whole, 0…1 */
	size_t max_nodes, max_text;
	uint64_t steps; /* left: frames of chains looked at */
	size_t drawn;	/* bytes */
	struct report_graph_cut cut;
};

static uint32_t child_node(struct report_graph_tree *tree, uint32_t parent, uint32_t symbol)
{
	bool added;
	uint64_t *value = map_add(&tree->child_of, (uint64_t)parent << 32 | symbol, &added);

	if (added) {
		*value = tree->nodes.count;
		vec_push(&tree->nodes,
			 ((struct graph_node){ .symbol = symbol,
					       .next = tree->nodes.item[parent].child }));
		tree->nodes.item[parent].child = (uint32_t)*value;
	}
	return (uint32_t)*value;
}

static void count_node(struct graph_node *node, const struct profile_sample *sample)
{
	node->total += sample->weight;
	node->total_count += sample->count;
}

/* Symbols from the leaf up to the root, starting at `from`. */
static void path_up(struct report_graph_tree *tree, stack_id from)
{
	const struct profile *p = tree->table->context->profile;
	const uint32_t *symbol = tree->table->context->symbols.of_frame;

	tree->path.count = 0;
	for (; from.v != STACK_EMPTY.v; from = p->nodes.item[from.v].parent)
		vec_push(&tree->path, symbol[p->nodes.item[from.v].frame.v]);
}

/* Of a chain towards the callees; see collect_path(). */
static size_t path_length(const struct report_graph_tree *tree, const struct profile_sample *sample,
			  stack_id node)
{
	const struct profile *p = tree->table->context->profile;
	size_t depth = p->nodes.item[sample->stack.v].depth;

	if (node.v == report_self_node(p, sample->stack).v)
		return depth;
	return depth - p->nodes.item[node.v].depth + 1;
}

/* A self row shows the whole chain; the row of a caller shows the part from there on, towards the
 * callers or the callees, depending on the order. */
static void collect_path(struct report_graph_tree *tree, const struct profile_sample *sample,
			 stack_id node)
{
	const struct profile *p = tree->table->context->profile;
	bool caller = tree->table->options->caller;
	bool self = node.v == report_self_node(p, sample->stack).v;
	size_t keep = path_length(tree, sample, node);

	if (!caller) {
		path_up(tree, self ? sample->stack : node);
		return;
	}
	path_up(tree, sample->stack);
	tree->path.count = keep;
	for (size_t i = 0; i < keep / 2; i++) {
		uint32_t swap = tree->path.item[i];

		tree->path.item[i] = tree->path.item[keep - 1 - i];
		tree->path.item[keep - 1 - i] = swap;
	}
}

static bool is_shown(const struct report_table *table, const struct report_row *row)
{
	return (double)row->total * 100 >= table->options->percent_limit * (double)table->weight;
}

/* A branch of it may be. In a fractal the threshold is a share of the row. */
static bool is_drawn(const struct report_graph_tree *tree, const struct report_row *row)
{
	return tree->table->options->graph == REPORT_GRAPH_FRACTAL ||
	       (double)row->total >= tree->threshold * (double)tree->table->weight;
}

/* What rows of equal cost are ordered by. */
static void note_depth(const struct report_graph_tree *tree, struct report_row *row,
		       const struct profile_sample *sample, stack_id node)
{
	const struct report_options *options = tree->table->options;
	size_t length;

	if (!options->children || !options->caller)
		return;
	length = path_length(tree, sample, node);
	if (length > row->depth)
		row->depth = (uint32_t)length;
}

/* False = it was left out. */
static bool take_steps(struct report_graph_tree *tree, uint64_t steps)
{
	if (tree->nodes.count < tree->max_nodes && steps <= tree->steps) {
		tree->steps -= steps;
		return true;
	}
	tree->cut.samples++;
	return false;
}

static bool add_chain(void *context, struct report_row *row, const struct profile_sample *sample,
		      stack_id node)
{
	struct report_graph_tree *tree = context;
	uint32_t at;

	if (sample->event != tree->table->event)
		return true;
	if (!take_steps(tree, 1))
		return false;
	if (!is_shown(tree->table, row))
		return true;
	note_depth(tree, row, sample, node);
	if (!is_drawn(tree, row))
		return true;
	if (!take_steps(tree, path_length(tree, sample, node)))
		return false;
	if (!row->graph) {
		row->graph = (uint32_t)tree->nodes.count;
		vec_push(&tree->nodes, ((struct graph_node){ .symbol = UINT32_MAX }));
	}
	at = row->graph;
	count_node(&tree->nodes.item[at], sample);
	collect_path(tree, sample, node);
	for (size_t i = 0; i < tree->path.count; i++) {
		at = child_node(tree, at, tree->path.item[i]);
		count_node(&tree->nodes.item[at], sample);
	}
	tree->nodes.item[at].self += sample->weight;
	tree->nodes.item[at].self_count += sample->count;
	return true;
}

struct report_graph_tree *report_graph_new(struct report_table *table)
{
	const struct profile *p = table->context->profile;
	struct report_graph_tree *tree = mem_zalloc(sizeof(*tree));

	tree->table = table;
	tree->max_nodes = table->options->graph_bytes ? table->options->graph_bytes / NODE_BYTES
						      : MAX_NODES;
	if (tree->max_nodes > MAX_NODES)
		tree->max_nodes = MAX_NODES;
	tree->steps = LEAST_STEPS + STEPS_PER_NODE * (p->nodes.count + p->samples.count);
	tree->max_text = LEAST_TEXT + TEXT_PER_NODE * p->nodes.count;
	if (table->options->graph_bytes && tree->max_text > table->options->graph_bytes / 2)
		tree->max_text = table->options->graph_bytes / 2;
	tree->threshold = table->options->graph_threshold / 100;
	vec_push(&tree->nodes, ((struct graph_node){ 0 }));
	report_table_visit(table, add_chain, tree);
	return tree;
}

struct report_graph_cut report_graph_cut(const struct report_graph_tree *tree)
{
	return tree ? tree->cut : (struct report_graph_cut){ 0 };
}

void report_graph_free(struct report_graph_tree *tree)
{
	if (!tree)
		return;
	vec_done(&tree->nodes);
	vec_done(&tree->path);
	map_done(&tree->child_of);
	free(tree);
}

/* Drawing */

struct drawing {
	const struct report_graph_tree *tree;
	struct buf *out;
	struct buf prefix; /* the pipes of the open levels */
	uint64_t whole;	   /* weight that percentages refer to */
	uint32_t printed;
};

typedef VEC(uint32_t) node_list;

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct report_graph_tree *tree = context;
	const struct graph_node *x = &tree->nodes.item[*(const uint32_t *)a];
	const struct graph_node *y = &tree->nodes.item[*(const uint32_t *)b];

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* Children worth showing, biggest first. */
static void list_children(const struct report_graph_tree *tree, uint32_t parent, uint64_t whole,
			  node_list *ret)
{
	for (uint32_t c = tree->nodes.item[parent].child; c; c = tree->nodes.item[c].next)
		if ((double)tree->nodes.item[c].total >= tree->threshold * (double)whole)
			vec_push(ret, c);
	if (ret->count)
		qsort_r(ret->item, ret->count, sizeof(*ret->item), compare_nodes,
			(void *)(uintptr_t)tree);
}

/* The only child when nothing branches off and nothing ends here; 0 otherwise. */
static uint32_t straight_on(const struct report_graph_tree *tree, uint32_t node)
{
	const struct graph_node *n = &tree->nodes.item[node];

	return n->child && !tree->nodes.item[n->child].next && !n->self_count ? n->child : 0;
}

static void put_name(const struct report_graph_tree *tree, uint32_t node, struct buf *out)
{
	const struct report_symbols *symbols = &tree->table->context->symbols;
	uint32_t symbol = tree->nodes.item[node].symbol;
	const struct report_symbol *s = &symbols->symbols.item[symbol];

	if (s->function.v == STRING_EMPTY.v)
		(void)buf_printf(out, "%#llx", (unsigned long long)(s->pc ? s->pc : s->start));
	else
		report_symbol_name(symbols, symbol, out);
}

static void put_value(const struct drawing *drawing, uint32_t node)
{
	const struct graph_node *n = &drawing->tree->nodes.item[node];

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
	put_name(drawing->tree, node, drawing->out);
	(void)buf_putc(drawing->out, '\n');
	(void)buf_puts(&drawing->prefix, last ? "           " : "|          ");
	for (; (next = straight_on(drawing->tree, node)); node = next) {
		put_prefix(drawing);
		put_name(drawing->tree, next, drawing->out);
		(void)buf_putc(drawing->out, '\n');
	}
	draw_children(drawing, node, depth + 1);
	drawing->prefix.len = len;
}

static void draw_children(struct drawing *drawing, uint32_t parent, unsigned depth)
{
	const struct report_options *options = drawing->tree->table->options;
	uint64_t whole = drawing->whole;
	node_list children = { 0 };

	if (depth >= MAX_DRAWN_DEPTH)
		return;
	if (options->graph == REPORT_GRAPH_FRACTAL)
		drawing->whole = drawing->tree->nodes.item[parent].total -
				 drawing->tree->nodes.item[parent].self;
	list_children(drawing->tree, parent, drawing->whole, &children);
	for (size_t i = 0; i < children.count; i++) {
		if (options->graph_print_limit && drawing->printed++ >= options->graph_print_limit)
			break;
		draw_branch(drawing, children.item[i], i + 1 == children.count, depth);
	}
	vec_done(&children);
	drawing->whole = whole;
}

static bool has_shown_child(const struct report_graph_tree *tree, uint32_t node, uint64_t whole)
{
	node_list children = { 0 };
	bool any;

	list_children(tree, node, whole, &children);
	any = children.count > 0;
	vec_done(&children);
	return any;
}

/* With the symbol in the first column the row has just named the function its chain begins with. */
static bool row_names(const struct report_graph_tree *tree, const struct report_row *row,
		      uint32_t node)
{
	const struct report_table *table = tree->table;

	return !table->options->fields && table->keys.count &&
	       strcmp(table->keys.item[0]->name, "symbol") == 0 &&
	       table->values.item[row->first] == tree->nodes.item[node].symbol;
}

static void draw_graph(const struct report_graph_tree *tree, const struct report_row *row,
		       struct buf *out)
{
	struct drawing drawing = { .tree = tree, .out = out, .whole = tree->table->weight };
	uint32_t node = row->graph, only = straight_on(tree, node);
	bool skip = only && row_names(tree, row, only), begun = false;

	if (tree->table->options->graph == REPORT_GRAPH_FRACTAL)
		drawing.whole = row->total;
	if (!has_shown_child(tree, node, drawing.whole))
		return;
	(void)buf_puts(&drawing.prefix, "            ");
	/* the run that all of the row's chains share hangs below the row without a value */
	for (; only; node = only, only = straight_on(tree, node)) {
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
		put_name(tree, only, out);
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
	const struct report_graph_tree *tree;
	struct drawing *drawing;
	node_list path;
	leaf_list leaves;
	struct map parent; /* node → parent node */
};

static void find_leaves(struct path_walk *walk, uint32_t root)
{
	const struct report_graph_tree *tree = walk->tree;
	node_list stack = { 0 };

	vec_push(&stack, root);
	while (stack.count) {
		uint32_t node = stack.item[--stack.count];
		const struct graph_node *n = &tree->nodes.item[node];

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

static void draw_paths(const struct report_graph_tree *tree, const struct report_row *row,
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
			put_name(tree, walk.path.item[j], out);
			(void)buf_puts(out, !folded ? "\n" : j ? ";" : "");
		}
		(void)buf_putc(out, '\n');
	}
	vec_done(&walk.leaves);
	vec_done(&walk.path);
	map_done(&walk.parent);
}

void report_graph_print(struct report_graph_tree *tree, const struct report_row *row,
			struct buf *ret)
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
