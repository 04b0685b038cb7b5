/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --hierarchy: the rows of a table as a tree, one level for each sort key, in the layout of
 * perf. The rows are put in order of their keys; a node is a run of rows that agree on the first
 * keys, so no tree is built. Call graphs are not shown, as in perf. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "view/report/report.h"
#include "view/report/report_page.h"

#define INDENT 3 /* columns per level */

/* Rows [first, end) agree on `level` keys. */
struct node {
	size_t first, end;
	struct report_cost *cost; /* one per event of the table */
	char *text;
};

typedef VEC(struct node) node_list;

static int compare_keys(const void *a, const void *b, void *context)
{
	const struct report_table *table = context;
	const uint64_t *x = &table->values.item[((const struct report_row *)a)->first];
	const uint64_t *y = &table->values.item[((const struct report_row *)b)->first];

	for (size_t i = 0; i < table->keys.count; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct report_table *table = context;
	const struct node *x = a, *y = b;

	for (size_t i = 0; i < table->members.count; i++)
		if (x->cost[i].self != y->cost[i].self)
			return x->cost[i].self > y->cost[i].self ? -1 : 1;
	return strcmp(x->text, y->text);
}

static uint64_t value_of(const struct report_table *table, size_t row, size_t key)
{
	return table->values.item[table->rows.item[row].first + key];
}

static void add_row(const struct report_table *table, size_t row, struct report_cost *cost)
{
	for (size_t i = 0; i < table->members.count; i++) {
		struct report_cost c = report_table_cost(table, &table->rows.item[row], i);

		cost[i].self += c.self;
		cost[i].kernel += c.kernel;
		cost[i].samples += c.samples;
		cost[i].other += c.other;
	}
}

/* The nodes that rows [first, end) make at a level, largest first. */
static void list_nodes(struct report_page *page, const struct node *parent, size_t level,
		       struct arena *arena, node_list *ret)
{
	struct report_table *table = &page->table;
	size_t next;

	for (size_t i = parent->first; i < parent->end; i = next) {
		struct node node = { .first = i };

		node.cost = arena_alloc(arena, table->members.count * sizeof(*node.cost));
		memset(node.cost, 0, table->members.count * sizeof(*node.cost));
		for (next = i; next < parent->end &&
			       value_of(table, next, level) == value_of(table, i, level);
		     next++)
			add_row(table, next, node.cost);
		node.end = next;
		report_page_key(page, &table->rows.item[i], level);
		node.text = arena_strndup(arena, page->cell.data ? page->cell.data : "",
					  page->cell.len);
		if (report_page_shows(page, node.cost[0].self))
			vec_push(ret, node);
	}
	if (ret->count)
		qsort_r(ret->item, ret->count, sizeof(*ret->item), compare_nodes, table);
}

/* Columns of measures stand in front of the names, which begin at the same place on each level. */
static void put_node(struct report_page *page, const struct node *node, size_t level)
{
	size_t keys = page->table.keys.count, width = 0, seen = 0, column = 0;
	const char *separator = page->options->field_separator;
	bool is_symbol = false;

	if (!separator)
		(void)buf_pad(page->out, ' ', 2 + level * INDENT);
	for (; column < page->columns->count; column++) {
		const struct report_column *c = page->columns->item[column];

		if (c->measure == REPORT_KEY) {
			if (seen++ != level)
				continue;
			width = page->width[column];
			is_symbol = strcmp(c->name, "symbol") == 0; /* perf does not pad these */
			continue;
		}
		report_page_put_measures(page, column, node->cost);
		if (separator)
			(void)buf_puts(page->out, separator);
		else
			(void)buf_pad(page->out, ' ', 2);
	}
	if (!separator)
		(void)buf_pad(page->out, ' ', (keys - 1) * INDENT);
	(void)buf_puts(page->out, node->text);
	if (!separator && !is_symbol && strlen(node->text) < width)
		(void)buf_pad(page->out, ' ', width - strlen(node->text));
	(void)buf_putc(page->out, '\n');
}

static size_t measures_width(const struct report_page *page)
{
	size_t width = 0;

	for (size_t i = 0; i < page->columns->count; i++)
		if (page->columns->item[i]->measure != REPORT_KEY)
			width += page->width[i] + 2;
	return width - 2;
}

static void put_level(struct report_page *page, const struct node *parent, size_t level)
{
	size_t keys = page->table.keys.count;
	struct arena arena = { 0 };
	node_list nodes = { 0 };

	list_nodes(page, parent, level, &arena, &nodes);
	for (size_t i = 0; i < nodes.count; i++) {
		put_node(page, &nodes.item[i], level);
		if (level + 1 < keys)
			put_level(page, &nodes.item[i], level + 1);
	}
	if (!nodes.count && level && !page->options->field_separator) {
		(void)buf_pad(page->out, ' ',
			      4 + (level + keys - 1) * INDENT + measures_width(page));
		(void)buf_printf(page->out, "no entry >= %.2f%%\n", page->options->percent_limit);
	}
	vec_done(&nodes);
	arena_done(&arena);
}

/* "Command / Shared Object / Symbol" and its width with the names below it. */
static size_t put_key_heading(struct report_page *page)
{
	size_t start = page->out->len, width = 0, level = 0;

	for (size_t i = 0; i < page->columns->count; i++) {
		const struct report_column *c = page->columns->item[i];

		if (c->measure != REPORT_KEY)
			continue;
		(void)buf_puts(page->out, level ? " / " : "");
		(void)buf_puts(page->out, c->heading);
		if (page->width[i] + level * INDENT > width)
			width = page->width[i] + level * INDENT;
		level++;
	}
	return width > page->out->len - start ? width : page->out->len - start;
}

static void put_heading(struct report_page *page)
{
	size_t indent = (page->table.keys.count - 1) * INDENT, width;

	(void)buf_puts(page->out, "# ");
	(void)buf_pad(page->out, ' ', indent);
	for (size_t i = 0; i < page->columns->count; i++) {
		const struct report_column *c = page->columns->item[i];
		bool right = c->right || page->table.members.count > 1;
		size_t len = strlen(c->heading);

		if (c->measure == REPORT_KEY)
			continue;
		(void)buf_pad(page->out, ' ', right ? page->width[i] - len : 0);
		(void)buf_puts(page->out, c->heading);
		(void)buf_pad(page->out, ' ', 2 + (right ? 0 : page->width[i] - len));
	}
	width = put_key_heading(page);
	(void)buf_puts(page->out, "\n# ");
	(void)buf_pad(page->out, '.', indent + measures_width(page));
	(void)buf_pad(page->out, ' ', 2);
	(void)buf_pad(page->out, '.', width);
	(void)buf_puts(page->out, "\n#\n");
}

void report_hierarchy_put(struct report_page *page)
{
	struct report_table *table = &page->table;
	struct node all = { .end = table->rows.count };

	if (table->rows.count)
		qsort_r(table->rows.item, table->rows.count, sizeof(*table->rows.item),
			compare_keys, table);
	if (!page->options->quiet)
		put_heading(page);
	put_level(page, &all, 0);
}
