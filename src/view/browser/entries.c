/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of the list of entries (see entries.h). */
#include "view/browser/entries.h"

#include <string.h>

#include "view/browser/pane.h"
#include "view/report/report_build.h"
#include "view/report/report_chains.h"

#define MEASURED  4096 /* rows that are in order, and fit their columns, to the letter */
#define MAX_DEPTH 256  /* of branches; deeper ones stay closed */

static void close_table(struct entries *e)
{
	report_chains_free(e->chains);
	e->chains = NULL;
	report_table_done(&e->page.table);
	free(e->page.width);
	e->page.width = NULL;
	e->row_open.count = e->node_open.count = 0;
}

static bool is_open(const struct entries *e, uint32_t node)
{
	return node < e->node_open.count && e->node_open.item[node];
}

static void set_open(struct entries *e, uint32_t node, bool open)
{
	while (e->node_open.count <= node)
		vec_push(&e->node_open, 0);
	e->node_open.item[node] = open;
}

static bool has_children(const struct entries *e, uint32_t node, uint64_t whole)
{
	report_chain_list children = { 0 };
	bool any;

	report_chains_children(e->chains, node, whole, &children);
	any = children.count > 0;
	vec_done(&children);
	return any;
}

static void add_line(struct entries *e, const struct entry_line *line)
{
	vec_push(&e->lines, *line);
}

static void add_branches(struct entries *e, uint32_t row, uint32_t node, uint16_t depth,
			 uint64_t whole);

/* A branch is a run of functions that nothing leaves, then its own branches. One sign at its first
 * line opens the run, one at its last line the branches. */
static void add_branch(struct entries *e, struct entry_line line, uint64_t whole)
{
	uint32_t first = line.node, node = first, next;

	if (e->options.graph == REPORT_GRAPH_FRACTAL)
		whole = e->chains->nodes.item[node].total;
	next = report_chains_straight_on(e->chains, node);
	line.sign = !next && !has_children(e, node, whole) ? ' ' : is_open(e, node) ? '-' : '+';
	add_line(e, &line);
	if (!is_open(e, node))
		return;
	line.sign = ' ';
	line.percent = -1;
	for (; next; next = report_chains_straight_on(e->chains, node)) {
		line.node = node = next;
		add_line(e, &line);
	}
	if (node != first && has_children(e, node, whole)) {
		vec_last(&e->lines)->sign = is_open(e, node) ? '-' : '+';
		if (!is_open(e, node))
			return;
	}
	if (line.depth < MAX_DEPTH)
		add_branches(e, line.row, node, line.depth + 1, whole);
}

static void add_branches(struct entries *e, uint32_t row, uint32_t node, uint16_t depth,
			 uint64_t whole)
{
	uint32_t only = report_chains_straight_on(e->chains, node);
	struct entry_line line = { .row = row, .depth = depth, .percent = -1 };
	report_chain_list children = { 0 };

	report_chains_children(e->chains, node, whole, &children);
	for (size_t i = 0; i < children.count; i++) {
		line.node = children.item[i];
		if (!only)
			line.percent =
				whole ? 100.0 * (double)e->chains->nodes.item[line.node].total /
						(double)whole
				      : 0;
		add_branch(e, line, whole);
	}
	vec_done(&children);
}

/* In a fractal, percentages are of the row. */
static uint64_t whole_of(const struct entries *e, const struct report_row *row)
{
	return e->options.graph == REPORT_GRAPH_FRACTAL ? row->total : e->page.table.weight;
}

static void list_lines(struct entries *e)
{
	e->lines.count = 0;
	for (uint32_t i = 0; i < e->page.table.rows.count; i++) {
		const struct report_row *row = &e->page.table.rows.item[i];
		struct entry_line line = { .row = i, .sign = ' ', .percent = -1 };

		if (!report_page_shows_row(&e->page, row))
			continue;
		if (e->chains)
			line.sign = e->row_open.item[i] ? '-' : '+';
		add_line(e, &line);
		if (e->row_open.item[i] && row->graph)
			add_branches(e, i, row->graph, 1, whole_of(e, row));
	}
}

/* With the chains of all rows, or of none. */
static void build(struct entries *e, bool all)
{
	const struct browser_shared *shared = e->shared;
	struct report_page *page = &e->page;

	close_table(e);
	page->columns = &shared->columns;
	page->options = &e->options;
	report_build(&page->table, &shared->context, &e->options, &shared->columns, e->event);
	if (all)
		e->chains = report_chains_new(&page->table);
	report_table_rank(&page->table, MEASURED);
	if (!all && e->options.graph != REPORT_GRAPH_NONE)
		e->chains = report_chains_open(&page->table);
	page->width = mem_zalloc(shared->columns.count * sizeof(*page->width));
	for (size_t c = 0; c < shared->columns.count; c++)
		report_page_measure_column(page, c, MEASURED);
	for (size_t i = 0; i < page->table.rows.count; i++)
		vec_push(&e->row_open, all);
	for (size_t i = 0; all && i < e->chains->nodes.count; i++)
		vec_push(&e->node_open, 1);
}

void entries_rebuild(struct entries *e)
{
	build(e, false);
	list_lines(e);
}

void entries_init(struct entries *e, const struct browser_shared *shared, uint16_t event)
{
	*e = (struct entries){ .shared = shared, .options = *shared->view, .event = event };
	entries_rebuild(e);
}

void entries_done(struct entries *e)
{
	close_table(e);
	buf_done(&e->page.cell);
	vec_done(&e->row_open);
	vec_done(&e->node_open);
	vec_done(&e->lines);
}

static struct report_row *collect(struct entries *e, uint32_t row)
{
	struct report_row *r = &e->page.table.rows.item[row];

	if (!r->graph)
		(void)report_chains_add_row(e->chains, r);
	return r;
}

void entries_toggle(struct entries *e, size_t at)
{
	const struct entry_line line = e->lines.item[at];
	const struct report_row *row;
	uint32_t only;

	if (line.sign == ' ')
		return;
	if (line.node) {
		set_open(e, line.node, line.sign == '+');
	} else {
		row = collect(e, line.row);
		e->row_open.item[line.row] = line.sign == '+';
		only = row->graph ? report_chains_straight_on(e->chains, row->graph) : 0;
		if (only)
			set_open(e, only, true);
	}
	list_lines(e);
}

/* All below a node. */
static void open_below(struct entries *e, uint32_t root, bool open)
{
	VEC(uint32_t) way = { 0 };

	vec_push(&way, root);
	while (way.count) {
		uint32_t node = way.item[--way.count];

		set_open(e, node, open);
		for (uint32_t c = e->chains->nodes.item[node].child; c;
		     c = e->chains->nodes.item[c].next)
			vec_push(&way, c);
	}
	vec_done(&way);
}

static size_t line_of_row(const struct entries *e, uint32_t row)
{
	for (size_t i = 0; i < e->lines.count; i++)
		if (e->lines.item[i].row == row)
			return i;
	return 0;
}

size_t entries_open_row(struct entries *e, size_t at, bool open)
{
	uint32_t row;

	if (!e->chains || at >= e->lines.count)
		return at;
	row = e->lines.item[at].row;
	e->row_open.item[row] = open;
	if (collect(e, row)->graph)
		open_below(e, e->page.table.rows.item[row].graph, open);
	list_lines(e);
	return line_of_row(e, row);
}

size_t entries_open_all(struct entries *e, size_t at, bool open)
{
	uint32_t row;

	if (!e->chains || at >= e->lines.count)
		return at;
	row = e->lines.item[at].row;
	build(e, open);
	list_lines(e);
	return line_of_row(e, row);
}

bool entries_key(const struct entries *e, size_t at, const char *name, uint64_t *ret)
{
	const struct report_table *table = &e->page.table;

	if (at >= e->lines.count)
		return false;
	for (size_t k = 0; k < table->keys.count; k++)
		if (strcmp(table->keys.item[k]->name, name) == 0) {
			const struct report_row *row = &table->rows.item[e->lines.item[at].row];

			*ret = table->values.item[row->first + k];
			return true;
		}
	return false;
}

uint32_t entries_symbol(const struct entries *e, size_t at)
{
	uint64_t symbol;

	if (at < e->lines.count && e->lines.item[at].node)
		return e->chains->nodes.item[e->lines.item[at].node].symbol;
	return entries_key(e, at, "symbol", &symbol) && symbol < UINT32_MAX ? (uint32_t)symbol
									    : ENTRY_NO_SYMBOL;
}
