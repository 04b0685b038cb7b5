/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program did with memory, as JSON (see heap_view.h). */
#include <inttypes.h>
#include <stdbool.h>

#include "base/buf.h"
#include "profile/heap/heap.h"
#include "profile/heap/heap_rows.h"
#include "view/heap/heap_view.h"
#include "view/stack_line.h"

static void put(struct buf *out, const char *name, uint64_t value)
{
	(void)buf_printf(out, ", \"%s\": %" PRIu64, name, value);
}

static void put_estimate(struct buf *out, const char *name, const struct heap_estimate *of,
			 bool lost)
{
	(void)buf_printf(out, ",\n  \"%s\": { \"value\": %.0f, ", name, of->value);
	if (lost)
		(void)buf_puts(out, "\"low\": null, \"high\": null }");
	else
		(void)buf_printf(out, "\"low\": %.0f, \"high\": %.0f }", of->low, of->high);
}

static void put_rows(const struct profile *profile, struct buf *out)
{
	static const char *const names[HEAP_MEASURES] = { [HEAP_ALLOCATED] = "allocated",
							  [HEAP_ALLOCATIONS] = "allocations",
							  [HEAP_LIVE] = "live",
							  [HEAP_PEAK] = "peak" };
	struct heap_rows rows;

	heap_rows_collect(profile, &rows);
	heap_rows_sort(&rows, HEAP_ALLOCATED);
	for (size_t i = 0; i < rows.row.count; i++) {
		const struct heap_row *row = &rows.row.item[i];

		(void)buf_puts(out, i ? ",\n    {" : "\n    {");
		for (size_t measure = 0; measure < HEAP_MEASURES; measure++)
			(void)buf_printf(out, "%s \"%s\": %.0f", measure ? "," : "", names[measure],
					 row->value[measure]);
		(void)buf_printf(out, ", \"stopped\": \"%s\"", stack_stop_name(row->stop));
		(void)buf_puts(out, ", \"stack\": ");
		stack_line_put_json(profile, row->stack, out);
		(void)buf_puts(out, " }");
	}
	heap_rows_done(&rows);
}

void heap_json(const struct heap_view *view, struct buf *out)
{
	const struct heap_summary *s = view->summary;

	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_putc(out, ']');
	put(out, "rate", view->summary->rate);
	put(out, "samples", s->samples);
	put(out, "lost", view->lost);
	put(out, "processes", s->processes);
	put(out, "unfollowed", s->unfollowed);
	put_estimate(out, "allocated", &s->allocated, view->lost);
	put_estimate(out, "allocations", &s->allocations, view->lost);
	put_estimate(out, "live", &s->live, view->lost);
	put_estimate(out, "peak", &s->peak, view->lost);
	put(out, "peak_ns", s->peak_ns);
	put(out, "peak_pid", s->peak_pid);
	(void)buf_puts(out, ",\n  \"stacks\": [");
	put_rows(view->profile, out);
	(void)buf_puts(out, " ] }\n");
}
