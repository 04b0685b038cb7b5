/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program did with memory, as JSON (see heap_view.h). */
#include <inttypes.h>
#include <stdbool.h>

#include "base/buf.h"
#include "profile/heap/heap.h"
#include "profile/heap/heap_rows.h"
#include "view/heap/heap_memory.h"
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

static void put_live(const struct heap_view *view, struct buf *out)
{
	if (heap_view_knows_live(view)) {
		put_estimate(out, "live", &view->summary->live, view->lost);
		put_estimate(out, "peak", &view->summary->peak, view->lost);
	} else {
		(void)buf_puts(out, ",\n  \"live\": null,\n  \"peak\": null");
	}
}

static void put_rows(const struct profile *profile, struct buf *out)
{
	static const char *const names[HEAP_MEASURES] = { [HEAP_ALLOCATED] = "allocated",
							  [HEAP_ALLOCATIONS] = "allocations",
							  [HEAP_LIVE] = "live",
							  [HEAP_PEAK] = "peak",
							  [HEAP_TEMPORARY] = "temporary" };
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

static void put_held(const struct heap_view *view, struct buf *out)
{
	struct heap_holders holders;

	heap_holders_collect(&view->summary->lives, &holders);
	for (size_t i = 0; i < holders.held.count; i++) {
		const struct heap_held *held = &holders.held.item[i];

		(void)buf_printf(out,
				 "%s\n    { \"bytes\": %.0f, \"blocks\": %.0f, "
				 "\"growth_per_s\": { \"value\": %.0f, \"low\": %.0f, "
				 "\"high\": %.0f }, \"ages\": [",
				 i ? "," : "", held->bytes, held->blocks, held->growth.value,
				 held->growth.low, held->growth.high);
		for (size_t age = 0; age < HEAP_AGES; age++)
			(void)buf_printf(out, "%s%.0f", age ? ", " : "", held->age[age]);
		(void)buf_printf(out, "], \"stopped\": \"%s\"", stack_stop_name(held->stop));
		(void)buf_puts(out, ", \"stack\": ");
		stack_line_put_json(view->profile, held->stack, out);
		(void)buf_puts(out, " }");
	}
	heap_holders_done(&holders);
}

static void put_times(const struct heap_lives *lives, struct buf *out)
{
	double span[HEAP_SPANS], over_time[HEAP_VIEW_PARTS], not_freed;
	uint64_t length = heap_over_time(lives, over_time, HEAP_VIEW_PARTS);

	heap_spans(lives, span, &not_freed);
	(void)buf_puts(out, ",\n  \"lifetimes\": [");
	for (size_t i = 0; i < HEAP_SPANS; i++)
		if (i + 1 < HEAP_SPANS)
			(void)buf_printf(out, " { \"below_ns\": %" PRIu64 ", \"bytes\": %.0f },",
					 heap_span_end(i), span[i]);
		else
			(void)buf_printf(out, " { \"bytes\": %.0f } ]", span[i]);
	(void)buf_printf(out, ",\n  \"timeline\": { \"length_ns\": %" PRIu64 ", \"live\": [",
			 length);
	for (size_t i = 0; i < HEAP_VIEW_PARTS; i++)
		(void)buf_printf(out, "%s%.0f", i ? ", " : "", over_time[i]);
	(void)buf_puts(out, "] }");
}

static void put_grown(const struct heap_view *view, struct buf *out)
{
	static const char *const patterns[] = { [HEAP_PATTERN_VARIES] = "varies",
						[HEAP_PATTERN_STEP] = "step",
						[HEAP_PATTERN_FACTOR] = "factor" };
	const struct heap_grown_rows *rows = &view->summary->grown;

	for (size_t i = 0; i < rows->row.count; i++) {
		const struct heap_grown *row = &rows->row.item[i];
		double amount;
		enum heap_pattern pattern = heap_grown_pattern(row, &amount);

		(void)buf_printf(out,
				 "%s\n    { \"calls\": %.0f, \"moved\": %.0f, \"moved_bytes\": %.0f"
				 ", \"largest\": %.0f, \"grows\": \"%s\", \"amount\": %.3f",
				 i ? "," : "", row->calls, row->moved, row->moved_bytes,
				 row->largest, patterns[pattern], amount);
		(void)buf_printf(out,
				 ", \"stopped\": \"%s\", \"stack\": ", stack_stop_name(row->stop));
		stack_line_put_json(view->profile, row->stack, out);
		(void)buf_puts(out, " }");
	}
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
	if (view->maps)
		(void)buf_puts(out, ", \"maps\": true");
	if (view->producer)
		(void)buf_puts(out, ", \"producer\": true");
	if (view->pid)
		(void)buf_printf(out,
				 ",\n  \"attached\": { \"pid\": %" PRIu32
				 ", \"stopped_ns\": %" PRIu64 " }",
				 view->pid, view->stopped_ns);
	if (view->oom) {
		(void)buf_puts(out, ",\n  \"oom\": { \"cgroup\": ");
		(void)buf_put_json(out, view->oom->cgroup);
		put(out, "kills", view->oom->kills);
		put(out, "limit", view->oom->limit);
		put(out, "most", view->oom->most);
		if (view->oom->spared)
			put(out, "spared", view->oom->spared);
		(void)buf_puts(out, " }");
	}
	put_estimate(out, "allocated", &s->allocated, view->lost);
	put_estimate(out, "allocations", &s->allocations, view->lost);
	put_live(view, out);
	if (s->peak_ns != UINT64_MAX)
		put(out, "peak_ns", s->peak_ns);
	put(out, "peak_pid", s->peak_pid);
	heap_memory_json(view, out);
	put_times(&s->lives, out);
	(void)buf_puts(out, ",\n  \"held\": [");
	put_held(view, out);
	(void)buf_puts(out, " ],\n  \"grown\": [");
	put_grown(view, out);
	(void)buf_puts(out, " ],\n  \"stacks\": [");
	put_rows(view->profile, out);
	(void)buf_puts(out, " ] }\n");
}
