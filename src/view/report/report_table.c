/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups samples into rows (see report_table.h). */
#include "view/report/report_table.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "profile/share_interval.h"
#include "view/report/report.h"

#define MAX_KEYS 32

/* Word lists of --comms, --dsos, --symbols. */
static bool listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	if (!list || !*list)
		return true;
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && strncmp(list, word, n) == 0)
			return true;
		list += n + (list[n] != '\0');
	}
	return false;
}

static bool passes(const struct report_table *table, const struct profile_sample *sample,
		   stack_id node)
{
	const struct report_options *options = table->options;
	const struct profile *p = table->context->profile;
	const struct frame *frame =
		node.v == STACK_EMPTY.v ? NULL : &p->frames.item[p->nodes.item[node.v].frame.v];
	const char *function = frame ? profile_string(p, frame->function) : "";
	const char *dso = profile_string(p, p->modules.item[frame ? frame->module : 0].name);

	if (!listed(options->comms, profile_string(p, p->threads.item[sample->thread.v].comm)) ||
	    !listed(options->dsos, dso) || !listed(options->symbols, function))
		return false;
	return !options->symbol_filter || strstr(function, options->symbol_filter) != NULL;
}

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

static struct report_row *find_row(struct report_table *table, const struct report_subject *subject)
{
	size_t keys = table->keys.count, at;
	uint64_t values[MAX_KEYS];

	for (size_t i = 0; i < keys; i++)
		values[i] = table->keys.item[i]->value(table->context, subject);
	if ((table->rows.count + 1) * 2 > table->slots)
		grow_slots(table);
	for (at = hash_values(values, keys) & (table->slots - 1); table->slot[at];
	     at = (at + 1) & (table->slots - 1)) {
		struct report_row *row = &table->rows.item[table->slot[at] - 1];

		if (memcmp(&table->values.item[row->first], values, keys * sizeof(*values)) == 0)
			return row;
	}
	vec_push(&table->rows, ((struct report_row){ .first = (uint32_t)table->values.count }));
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
	if (passes(table, sample, self)) {
		struct report_row *row = find_row(table, &subject);

		row->seen = stamp;
		visit(visit_context, row, sample, self);
	}
	if (!table->options->children)
		return;
	for (stack_id node = sample->stack; node.v != STACK_EMPTY.v;
	     node = p->nodes.item[node.v].parent) {
		struct report_row *row;

		subject.node = node;
		if (!passes(table, sample, node))
			continue;
		row = find_row(table, &subject);
		if (row->seen == stamp)
			continue; /* recursion, or the self row */
		row->seen = stamp;
		visit(visit_context, row, sample, node);
	}
}

void report_table_visit(struct report_table *table, report_visit visit, void *visit_context)
{
	const struct profile *p = table->context->profile;

	for (size_t i = 0; i < table->rows.count; i++)
		table->rows.item[i].seen = 0;
	for (size_t i = 0; i < p->samples.count; i++)
		if (p->samples.item[i].event == table->event)
			visit_sample(table, i, visit, visit_context);
}

static void add_cost(void *context, struct report_row *row, const struct profile_sample *sample,
		     stack_id node)
{
	const struct report_table *table = context;

	row->total += sample->weight;
	row->total_samples += sample->count;
	if (node.v == report_self_node(table->context->profile, sample->stack).v) {
		row->self += sample->weight;
		row->samples += sample->count;
	}
}

void report_table_build(struct report_table *table, const struct report_context *context,
			const struct report_options *options, const report_columns *columns,
			uint16_t event)
{
	const struct profile_event *e = &context->profile->events.item[event];

	*table = (struct report_table){ .context = context,
					.options = options,
					.event = event,
					.weight = e->weight,
					.samples = e->samples,
					.effective = share_effective_samples(e) };
	for (size_t i = 0; i < columns->count && table->keys.count < MAX_KEYS; i++)
		if (columns->item[i]->measure == REPORT_KEY)
			vec_push(&table->keys, columns->item[i]);
	report_table_visit(table, add_cost, table);
}

struct sort_entry {
	struct report_row row;
	const char *text; /* printed keys, apart by \1 */
};

/* Among equals of one command callers come before callees, as perf orders them. */
static int compare_entries(const void *a, const void *b)
{
	const struct sort_entry *x = a, *y = b;

	if (x->row.total != y->row.total)
		return x->row.total > y->row.total ? -1 : 1;
	if (x->row.depth != y->row.depth &&
	    strncmp(x->text, y->text, strcspn(x->text, "\1") + 1) == 0)
		return x->row.depth > y->row.depth ? -1 : 1;
	return strcmp(x->text, y->text);
}

void report_table_sort(struct report_table *table)
{
	struct sort_entry *entry = mem_alloc(table->rows.count * sizeof(*entry));
	struct arena arena = { 0 };
	struct buf text = { 0 };

	for (size_t i = 0; i < table->rows.count; i++) {
		entry[i].row = table->rows.item[i];
		buf_clear(&text);
		for (size_t k = 0; k < table->keys.count; k++) {
			table->keys.item[k]->print(
				table->context, table->values.item[entry[i].row.first + k], &text);
			(void)buf_putc(&text, '\1');
		}
		entry[i].text = arena_strndup(&arena, text.data ? text.data : "", text.len);
	}
	if (table->rows.count)
		qsort(entry, table->rows.count, sizeof(*entry), compare_entries);
	for (size_t i = 0; i < table->rows.count; i++)
		table->rows.item[i] = entry[i].row;
	buf_done(&text);
	arena_done(&arena);
	free(entry);
}

void report_table_done(struct report_table *table)
{
	vec_done(&table->keys);
	vec_done(&table->rows);
	vec_done(&table->values);
	free(table->slot);
}
