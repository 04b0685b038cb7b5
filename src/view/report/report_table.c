/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups samples into rows (see report_table.h). */
#include "view/report/report_table.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/map.h"
#include "profile/share_interval.h"
#include "view/report/report.h"
#include "view/report/report_filter.h"

static uint64_t hash_values(const uint64_t *values, size_t count)
{
	uint64_t h = 0;

	for (size_t i = 0; i < count; i++)
		h = hash_u64(h ^ values[i]) + i;
	return h;
}

static void grow_slots(struct report_table *table)
{
	size_t keys = table->keys.count;

	table->slots = table->slots ? table->slots * 2 : 256;
	free(table->slot);
	table->slot = mem_zalloc(table->slots * sizeof(*table->slot));
	for (size_t i = 0; i < table->rows.count; i++) {
		size_t at = hash_values(&table->values.item[table->rows.item[i].first], keys) &
			    (table->slots - 1);

		while (table->slot[at])
			at = (at + 1) & (table->slots - 1);
		table->slot[at] = (uint32_t)i + 1;
	}
}

struct report_row *report_table_row(struct report_table *table,
				    const struct report_subject *subject)
{
	size_t keys = table->keys.count, at;
	uint64_t values[REPORT_TABLE_KEYS];
	uint32_t number;

	for (size_t i = 0; i < keys; i++)
		values[i] = report_column_value(table->keys.item[i], table->context, subject);
	if ((table->rows.count + 1) * 2 > table->slots)
		grow_slots(table);
	for (at = hash_values(values, keys) & (table->slots - 1); table->slot[at];
	     at = (at + 1) & (table->slots - 1)) {
		struct report_row *row = &table->rows.item[table->slot[at] - 1];

		if (!keys ||
		    memcmp(&table->values.item[row->first], values, keys * sizeof(*values)) == 0)
			return row;
	}
	number = (uint32_t)table->rows.count;
	vec_push(&table->rows,
		 ((struct report_row){ .first = (uint32_t)table->values.count, .number = number }));
	for (size_t i = 1; i < table->members.count; i++)
		vec_push(&table->costs, ((struct report_cost){ 0 }));
	for (size_t i = 0; i < keys; i++)
		vec_push(&table->values, values[i]);
	table->slot[at] = (uint32_t)table->rows.count;
	return vec_last(&table->rows);
}

/* Rows of one sample: its self row first, then with children one per frame up to the root. */
static void visit_sample(struct report_table *table, size_t index, report_visit visit,
			 void *visit_context)
{
	const struct profile *p = table->context->profile;
	const struct profile_sample *sample = &p->samples.item[index];
	struct report_subject subject = { .sample = sample };
	stack_id self = report_self_node(p, sample->stack);
	uint64_t stamp = (uint64_t)index + 1;

	subject.node = self;
	if (report_filter_passes(table, sample, self)) {
		struct report_row *row = report_table_row(table, &subject);

		row->seen = stamp;
		if (!visit(visit_context, row, sample, self))
			return;
	}
	if (!table->options->children)
		return;
	for (stack_id node = sample->stack; node.v != STACK_EMPTY.v;
	     node = p->nodes.item[node.v].parent) {
		struct report_row *row;

		subject.node = node;
		if (!report_filter_passes(table, sample, node))
			continue;
		row = report_table_row(table, &subject);
		if (row->seen == stamp)
			continue; /* recursion, or the self row */
		row->seen = stamp;
		if (!visit(visit_context, row, sample, node))
			return;
	}
}

size_t report_table_member(const struct report_table *table, uint16_t event)
{
	for (size_t i = 0; i < table->members.count; i++)
		if (table->members.item[i].event == event)
			return i;
	return SIZE_MAX;
}

void report_table_visit(struct report_table *table, report_visit visit, void *visit_context)
{
	const struct profile *p = table->context->profile;

	for (size_t i = 0; i < table->rows.count; i++)
		table->rows.item[i].seen = 0;
	for (size_t i = 0; i < p->samples.count; i++)
		if (report_table_member(table, p->samples.item[i].event) != SIZE_MAX)
			visit_sample(table, i, visit, visit_context);
}

static bool is_row_of(const struct report_table *table, const struct report_row *row,
		      const struct report_subject *subject)
{
	for (size_t i = 0; i < table->keys.count; i++)
		if (report_column_value(table->keys.item[i], table->context, subject) !=
		    table->values.item[row->first + i])
			return false;
	return report_filter_passes(table, subject->sample, subject->node);
}

void report_table_visit_row(const struct report_table *table, struct report_row *row,
			    report_visit visit, void *visit_context)
{
	const struct profile *p = table->context->profile;

	for (size_t i = 0; i < p->samples.count; i++) {
		struct report_subject subject = { .sample = &p->samples.item[i] };
		stack_id self = report_self_node(p, subject.sample->stack);

		if (report_table_member(table, subject.sample->event) == SIZE_MAX)
			continue;
		subject.node = self;
		if (!is_row_of(table, row, &subject)) {
			subject.node = table->options->children ? subject.sample->stack
								: STACK_EMPTY;
			while (subject.node.v != STACK_EMPTY.v && !is_row_of(table, row, &subject))
				subject.node = p->nodes.item[subject.node.v].parent;
			if (subject.node.v == STACK_EMPTY.v)
				continue;
		}
		if (!visit(visit_context, row, subject.sample, subject.node))
			return;
	}
}

struct report_cost report_table_cost(const struct report_table *table, const struct report_row *row,
				     size_t member)
{
	if (member)
		return table->costs.item[row->number * (table->members.count - 1) + (member - 1)];
	return (struct report_cost){ row->self, row->total, row->kernel, row->samples, row->other };
}

/* Of two rows by their costs, most expensive first. */
static int compare_costs(const struct report_table *table, const struct report_row *x,
			 const struct report_row *y)
{
	for (size_t i = 0; i < table->members.count; i++) {
		uint64_t first = report_table_cost(table, x, i).total;
		uint64_t second = report_table_cost(table, y, i).total;

		if (first != second)
			return first > second ? -1 : 1;
	}
	return 0;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct report_row *x = a, *y = b;
	int order = compare_costs(context, x, y);

	return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

struct sort_entry {
	struct report_row row;
	const char *text; /* printed keys, apart by \1 */
};

/* Among equals of one command callers come before callees, as perf orders them. */
static int compare_entries(const void *a, const void *b, void *context)
{
	const struct report_table *table = context;
	const struct sort_entry *x = a, *y = b;
	int order = compare_costs(table, &x->row, &y->row);

	if (order)
		return order;
	if (x->row.depth != y->row.depth &&
	    strncmp(x->text, y->text, strcspn(x->text, "\1") + 1) == 0)
		return x->row.depth > y->row.depth ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void sort_first(struct report_table *table, size_t count)
{
	struct sort_entry *entry = mem_alloc(count * sizeof(*entry));
	struct arena arena = { 0 };
	struct buf text = { 0 };

	for (size_t i = 0; i < count; i++) {
		entry[i].row = table->rows.item[i];
		buf_clear(&text);
		for (size_t k = 0; k < table->keys.count; k++) {
			table->keys.item[k]->print(
				table->context, table->values.item[entry[i].row.first + k], &text);
			(void)buf_putc(&text, '\1');
		}
		entry[i].text = arena_strndup(&arena, text.data ? text.data : "", text.len);
	}
	if (count)
		qsort_r(entry, count, sizeof(*entry), compare_entries, table);
	for (size_t i = 0; i < count; i++)
		table->rows.item[i] = entry[i].row;
	buf_done(&text);
	arena_done(&arena);
	free(entry);
}

void report_table_sort(struct report_table *table)
{
	sort_first(table, table->rows.count);
}

void report_table_rank(struct report_table *table, size_t most)
{
	if (table->rows.count > most)
		qsort_r(table->rows.item, table->rows.count, sizeof(*table->rows.item),
			compare_rows, table);
	sort_first(table, table->rows.count < most ? table->rows.count : most);
}

void report_table_done(struct report_table *table)
{
	vec_done(&table->keys);
	vec_done(&table->rows);
	vec_done(&table->values);
	vec_done(&table->costs);
	vec_done(&table->members);
	free(table->slot);
}
