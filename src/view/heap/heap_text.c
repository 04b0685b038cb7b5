/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program did with memory, as text (see heap_view.h). */
#include <inttypes.h>
#include <stdbool.h>

#include "base/buf.h"
#include "profile/heap/heap.h"
#include "profile/heap/heap_rows.h"
#include "view/heap/heap_view.h"
#include "view/stack_line.h"

static void put_interval(struct buf *out, const struct heap_estimate *of)
{
	if (of->high - of->low < 1)
		return;
	(void)buf_puts(out, "   (95 %: ");
	bytes_put(of->low, 0, out);
	(void)buf_puts(out, " to ");
	bytes_put(of->high, 0, out);
	(void)buf_putc(out, ')');
}

/* Without its interval if samples were lost: it may be anywhere. */
static void put_total(struct buf *out, const char *name, const struct heap_estimate *of, bool lost)
{
	(void)buf_printf(out, " %-18s", name);
	bytes_put(of->value, 9, out);
	if (!lost)
		put_interval(out, of);
}

static void put_totals(const struct heap_view *view, struct buf *out)
{
	const struct heap_summary *s = view->summary;

	(void)buf_putc(out, '\n');
	put_total(out, "allocated", &s->allocated, view->lost);
	(void)buf_printf(out, "\n %-18s%9.0f    ", "allocations", s->allocations.value);
	if (s->allocations.high - s->allocations.low >= 1 && s->samples && !view->lost)
		(void)buf_printf(out, "   (95 %%: %.0f to %.0f)", s->allocations.low,
				 s->allocations.high);
	(void)buf_putc(out, '\n');
	put_total(out, "live at the end", &s->live, view->lost);
	(void)buf_putc(out, '\n');
	put_total(out, "peak of live bytes", &s->peak, view->lost);
	if (s->samples)
		(void)buf_printf(out, "   %.3f s after the first sample", (double)s->peak_ns / 1e9);
	if (s->processes > 1)
		(void)buf_printf(out, ", of process %" PRIu32 " alone", s->peak_pid);
	(void)buf_printf(out, "\n %-18s%9" PRIu64 "    ", "samples", s->samples);
	if (view->summary->rate) {
		(void)buf_puts(out, "   one per ");
		bytes_put((double)view->summary->rate, 0, out);
	} else {
		(void)buf_puts(out, "   every allocation");
	}
	if (s->processes > 1)
		(void)buf_printf(out, ", of %" PRIu64 " processes", s->processes);
	if (view->lost)
		(void)buf_printf(out, "\n %-18s%9" PRIu64 "       samples: the sums are too low",
				 "lost", view->lost);
	(void)buf_putc(out, '\n');
}

static void put_table(const struct heap_view *view, struct heap_rows *rows, enum heap_measure by,
		      const char *title, struct buf *out)
{
	size_t most = view->rows ? view->rows : rows->row.count;
	double sum = 0;

	for (size_t i = 0; i < rows->row.count; i++)
		sum += rows->row.item[i].value[by];
	if (sum <= 0)
		return;
	heap_rows_sort(rows, by);
	(void)buf_printf(out, "\n %s:\n\n         bytes   share%s  stack, innermost first\n", title,
			 by == HEAP_ALLOCATED ? "  allocations" : "");
	for (size_t i = 0; i < rows->row.count && i < most; i++) {
		const struct heap_row *row = &rows->row.item[i];

		if (row->value[by] <= 0)
			break;
		(void)buf_puts(out, " ");
		bytes_put(row->value[by], 9, out);
		(void)buf_printf(out, " %5.1f %%", 100 * row->value[by] / sum);
		if (by == HEAP_ALLOCATED)
			(void)buf_printf(out, " %12.0f", row->value[HEAP_ALLOCATIONS]);
		(void)buf_puts(out, "  ");
		stack_line_put(view->profile, row->stack, row->stop, out);
	}
}

void heap_text(const struct heap_view *view, struct buf *out)
{
	struct heap_rows rows;

	put_totals(view, out);
	heap_rows_collect(view->profile, &rows);
	put_table(view, &rows, HEAP_ALLOCATED, "Allocated", out);
	put_table(view, &rows, HEAP_PEAK, "Live at the peak", out);
	put_table(view, &rows, HEAP_LIVE, "Live at the end", out);
	heap_rows_done(&rows);
	if (view->lost)
		(void)buf_printf(out,
				 "\n %" PRIu64 " samples were lost: sums are too low, and blocks "
				 "may look live that were freed\n",
				 view->lost);
	if (view->summary->unfollowed)
		(void)buf_printf(out,
				 "\n %" PRIu64 " sampled blocks were too many to be followed: they "
				 "are not in the peak and the end\n",
				 view->summary->unfollowed);
}
