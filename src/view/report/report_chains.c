/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects call chains below rows (see report_chains.h). */
#include "view/report/report_chains.h"

#include <string.h>

#include "base/buf.h"
#include "view/report/report.h"
#include "view/report/report_table.h"

/* A chain of depth n may hang below n rows. These bound memory, time and text, so that the latter
 * two are linear in the profile. */
#define MAX_NODES      ((size_t)4 << 20) /* of all graphs */
#define NODE_BYTES     160		 /* with its place in the map */
#define LEAST_STEPS    ((uint64_t)16 << 20)
#define STEPS_PER_NODE 512
#define LEAST_TEXT     ((size_t)16 << 20)
#define TEXT_PER_NODE  1024

static uint32_t child_node(struct report_chains *tree, uint32_t parent, uint32_t symbol)
{
	bool added;
	uint64_t *value = map_add(&tree->child_of, (uint64_t)parent << 32 | symbol, &added);

	if (added) {
		*value = tree->nodes.count;
		vec_push(&tree->nodes,
			 ((struct report_chain){ .symbol = symbol,
						 .next = tree->nodes.item[parent].child }));
		tree->nodes.item[parent].child = (uint32_t)*value;
	}
	return (uint32_t)*value;
}

static void count_node(struct report_chain *node, const struct profile_sample *sample)
{
	node->total += sample->weight;
	node->total_count += sample->count;
}

/* Symbols from the leaf up to the root, starting at `from`. */
static void path_up(struct report_chains *tree, stack_id from)
{
	const struct profile *p = tree->table->context->profile;
	const uint32_t *symbol = tree->table->context->symbols.of_frame;

	tree->path.count = 0;
	for (; from.v != STACK_EMPTY.v; from = p->nodes.item[from.v].parent)
		vec_push(&tree->path, symbol[p->nodes.item[from.v].frame.v]);
}

/* Of a chain towards the callees; see collect_path(). */
static size_t path_length(const struct report_chains *tree, const struct profile_sample *sample,
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
static void collect_path(struct report_chains *tree, const struct profile_sample *sample,
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
static bool is_drawn(const struct report_chains *tree, const struct report_row *row)
{
	return tree->table->options->graph == REPORT_GRAPH_FRACTAL ||
	       (double)row->total >= tree->threshold * (double)tree->table->weight;
}

/* What rows of equal cost are ordered by. */
static void note_depth(const struct report_chains *tree, struct report_row *row,
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
static bool take_steps(struct report_chains *tree, uint64_t steps)
{
	if (tree->nodes.count < tree->max_nodes && steps <= tree->steps) {
		tree->steps -= steps;
		return true;
	}
	tree->cut.samples++;
	return false;
}

/* False = there is no room for it. */
static bool add_to_row(struct report_chains *tree, struct report_row *row,
		       const struct profile_sample *sample, stack_id node)
{
	uint32_t at;

	if (!take_steps(tree, path_length(tree, sample, node)))
		return false;
	if (!row->graph) {
		row->graph = (uint32_t)tree->nodes.count;
		vec_push(&tree->nodes, ((struct report_chain){ .symbol = UINT32_MAX }));
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

static bool add_chain(void *context, struct report_row *row, const struct profile_sample *sample,
		      stack_id node)
{
	struct report_chains *tree = context;

	if (sample->event != tree->table->event)
		return true;
	if (!take_steps(tree, 1))
		return false;
	if (!is_shown(tree->table, row))
		return true;
	note_depth(tree, row, sample, node);
	return !is_drawn(tree, row) || add_to_row(tree, row, sample, node);
}

static bool add_chain_of_row(void *context, struct report_row *row,
			     const struct profile_sample *sample, stack_id node)
{
	struct report_chains *tree = context;

	return sample->event != tree->table->event || add_to_row(tree, row, sample, node);
}

struct report_chains *report_chains_open(struct report_table *table)
{
	const struct profile *p = table->context->profile;
	struct report_chains *tree = mem_zalloc(sizeof(*tree));

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
	vec_push(&tree->nodes, ((struct report_chain){ 0 }));
	return tree;
}

struct report_chains *report_chains_new(struct report_table *table)
{
	struct report_chains *tree = report_chains_open(table);

	report_table_visit(table, add_chain, tree);
	return tree;
}

uint32_t report_chains_add_row(struct report_chains *tree, struct report_row *row)
{
	report_table_visit_row(tree->table, row, add_chain_of_row, tree);
	return row->graph;
}

struct report_chains_cut report_chains_cut(const struct report_chains *tree)
{
	return tree ? tree->cut : (struct report_chains_cut){ 0 };
}

void report_chains_free(struct report_chains *tree)
{
	if (!tree)
		return;
	vec_done(&tree->nodes);
	vec_done(&tree->path);
	map_done(&tree->child_of);
	free(tree);
}

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct report_chains *tree = context;
	const struct report_chain *x = &tree->nodes.item[*(const uint32_t *)a];
	const struct report_chain *y = &tree->nodes.item[*(const uint32_t *)b];

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

void report_chains_children(const struct report_chains *tree, uint32_t parent, uint64_t whole,
			    report_chain_list *ret)
{
	for (uint32_t c = tree->nodes.item[parent].child; c; c = tree->nodes.item[c].next)
		if ((double)tree->nodes.item[c].total >= tree->threshold * (double)whole)
			vec_push(ret, c);
	if (ret->count)
		qsort_r(ret->item, ret->count, sizeof(*ret->item), compare_nodes,
			(void *)(uintptr_t)tree);
}

uint32_t report_chains_straight_on(const struct report_chains *tree, uint32_t node)
{
	const struct report_chain *n = &tree->nodes.item[node];

	return n->child && !tree->nodes.item[n->child].next && !n->self_count ? n->child : 0;
}

void report_chains_put_name(const struct report_chains *tree, uint32_t node, struct buf *out)
{
	const struct report_symbols *symbols = &tree->table->context->symbols;
	uint32_t symbol = tree->nodes.item[node].symbol;
	const struct report_symbol *s = &symbols->symbols.item[symbol];

	if (s->function.v == STRING_EMPTY.v)
		(void)buf_printf(out, "%#llx", (unsigned long long)(s->pc ? s->pc : s->start));
	else
		report_symbol_name(symbols, symbol, out);
}
