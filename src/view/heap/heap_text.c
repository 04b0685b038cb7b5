/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program did with memory, as text (see heap_view.h). */
#include <inttypes.h>
#include <stdbool.h>

#include "base/buf.h"
#include "profile/heap/heap.h"
#include "profile/heap/heap_rows.h"
#include "view/heap/heap_memory.h"
#include "view/heap/heap_view.h"
#include "view/sparkline.h"
#include "view/stack_line.h"

#define GROWTH_WIDTH "42"

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

/* A process that was running before and had no sample since may hold any amount. */
static void put_live(const struct heap_view *view, const char *name, const struct heap_estimate *of,
		     struct buf *out)
{
	if (heap_view_knows_live(view))
		put_total(out, name, of, view->lost);
	else
		(void)buf_printf(out, " %-18s  unknown     no block was sampled since", name);
}

static void put_samples(const struct heap_view *view, struct buf *out)
{
	const struct heap_summary *s = view->summary;

	(void)buf_printf(out, " %-18s%9" PRIu64 "    ", view->maps ? "ranges" : "samples",
			 s->samples);
	if (view->maps) {
		(void)buf_puts(out, "   of every call");
	} else if (view->producer) {
		(void)buf_puts(out, "   picked by the program's own profiler");
	} else if (view->summary->rate) {
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

static void put_oom(const struct heap_oom_kill *oom, struct buf *out)
{
	(void)buf_printf(out, " killed for lack of memory: %" PRIu64 " process%s of ", oom->kills,
			 oom->kills == 1 ? "" : "es");
	(void)buf_put_tidy(out, oom->cgroup);
	if (oom->limit) {
		(void)buf_puts(out, ", limit ");
		bytes_put((double)oom->limit, 0, out);
	}
	if (oom->most) {
		(void)buf_puts(out, ", most used ");
		bytes_put((double)oom->most, 0, out);
	}
	(void)buf_puts(out, "\n\n");
	if (oom->spared)
		(void)buf_printf(out,
				 " process %" PRIu32 ", which is watched, was not killed: what the "
				 "killed process held is unknown, unless %" PRIu32
				 " started it\n\n",
				 oom->spared, oom->spared);
}

static void put_totals(const struct heap_view *view, struct buf *out)
{
	const struct heap_summary *s = view->summary;

	(void)buf_putc(out, '\n');
	if (view->pid)
		(void)buf_printf(out,
				 " process %" PRIu32 ", which was stopped for %.1f ms; blocks that "
				 "it had before are not known\n\n",
				 view->pid, (double)view->stopped_ns / 1e6);
	if (view->oom)
		put_oom(view->oom, out);
	put_total(out, view->maps ? "mapped" : "allocated", &s->allocated, view->lost);
	if (!view->maps)
		(void)buf_printf(out, "\n %-18s%9.0f    ", "allocations", s->allocations.value);
	if (s->allocations.high - s->allocations.low >= 1 && s->samples && !view->lost)
		(void)buf_printf(out, "   (95 %%: %.0f to %.0f)", s->allocations.low,
				 s->allocations.high);
	(void)buf_putc(out, '\n');
	put_live(view, "live at the end", &s->live, out);
	(void)buf_putc(out, '\n');
	put_live(view, "peak of live bytes", &s->peak, out);
	if (s->samples && s->peak_ns != UINT64_MAX)
		(void)buf_printf(out, "   %.3f s after the first sample", (double)s->peak_ns / 1e9);
	if (s->processes > 1)
		(void)buf_printf(out, ", of process %" PRIu32 " alone", s->peak_pid);
	(void)buf_putc(out, '\n');
	heap_memory_text(view, out);
	put_samples(view, out);
}

static void put_time_line(const struct heap_lives *lives, struct buf *out)
{
	double bytes[HEAP_VIEW_PARTS], top = 0;
	uint64_t length_ns = heap_over_time(lives, bytes, HEAP_VIEW_PARTS);

	for (size_t i = 0; i < HEAP_VIEW_PARTS; i++)
		top = bytes[i] > top ? bytes[i] : top;
	if (!length_ns || top <= 0)
		return;
	(void)buf_puts(out, "\n live, 0 to ");
	(void)buf_printf(out, "%.3f s  |", (double)length_ns / 1e9);
	for (size_t i = 0; i < HEAP_VIEW_PARTS; i++)
		sparkline_put(bytes[i], top, out);
	(void)buf_puts(out, "|\n");
}

/* Of the bytes. */
static void put_lifetimes(const struct heap_lives *lives, struct buf *out)
{
	static const char *const names[HEAP_SPANS] = { "< 10 us",  "< 100 us", "< 1 ms", "< 10 ms",
						       "< 100 ms", "< 1 s",    "< 10 s", "longer" };
	double span[HEAP_SPANS], not_freed, sum;

	heap_spans(lives, span, &not_freed);
	sum = not_freed;
	for (size_t i = 0; i < HEAP_SPANS; i++)
		sum += span[i];
	if (sum <= 0)
		return;
	(void)buf_puts(out, " bytes lived  ");
	for (size_t i = 0; i < HEAP_SPANS; i++)
		if (span[i] > 0)
			(void)buf_printf(out, "  %s: %.1f %%", names[i], 100 * span[i] / sum);
	(void)buf_printf(out, "  not freed: %.1f %%\n", 100 * not_freed / sum);
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
			 by != HEAP_ALLOCATED ? ""
			 : view->maps	      ? "       ranges"
					      : "  allocations");
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

static void put_growth(const struct heap_estimate *growth, struct buf *out)
{
	struct buf text = { 0 };

	if (growth->low > 0) {
		bytes_put(growth->value, 10, &text);
		(void)buf_puts(&text, " (");
		bytes_put(growth->low, 0, &text);
		(void)buf_puts(&text, " to ");
		bytes_put(growth->high, 0, &text);
		(void)buf_putc(&text, ')');
	} else if (growth->high > 0) {
		(void)buf_puts(&text, "  not sure (at most ");
		bytes_put(growth->high, 0, &text);
		(void)buf_putc(&text, ')');
	} else {
		(void)buf_puts(&text, "      none");
	}
	(void)buf_printf(out, "%-" GROWTH_WIDTH "s", text.data);
	buf_done(&text);
}

static void put_ages(const double age[HEAP_AGES], struct buf *out)
{
	double top = 0;

	for (size_t i = 0; i < HEAP_AGES; i++)
		top = age[i] > top ? age[i] : top;
	(void)buf_puts(out, "  |");
	for (size_t i = 0; i < HEAP_AGES; i++)
		sparkline_put(age[i], top, out);
	(void)buf_puts(out, "|  ");
}

static void put_held(const struct heap_view *view, struct buf *out)
{
	struct heap_holders holders;
	size_t most;

	heap_holders_collect(&view->summary->lives, &holders);
	most = view->rows && view->rows < holders.held.count ? view->rows : holders.held.count;
	if (most)
		(void)buf_printf(
			out,
			"\n Held at the end, surest growth first; without the last tenth of "
			"the run:\n\n         bytes     blocks  %-" GROWTH_WIDTH "s  |old  new|"
			"  stack, innermost first\n",
			"growth per second (95 %)");
	for (size_t i = 0; i < most; i++) {
		const struct heap_held *held = &holders.held.item[i];

		(void)buf_putc(out, ' ');
		bytes_put(held->bytes, 9, out);
		(void)buf_printf(out, " %10.0f  ", held->blocks);
		put_growth(&held->growth, out);
		put_ages(held->age, out);
		stack_line_put(view->profile, held->stack, held->stop, out);
	}
	heap_holders_done(&holders);
}

static void put_pattern(const struct heap_grown *grown, struct buf *out)
{
	struct buf text = { 0 };
	double amount;

	switch (heap_grown_pattern(grown, &amount)) {
	case HEAP_PATTERN_FACTOR:
		(void)buf_printf(&text, "by factor %.2f", amount);
		break;
	case HEAP_PATTERN_STEP:
		(void)buf_puts(&text, "by steps of ");
		bytes_put(amount, 0, &text);
		break;
	case HEAP_PATTERN_VARIES:
		bytes_put(amount, 0, &text);
		(void)buf_puts(&text, " on average");
		break;
	}
	(void)buf_printf(out, "%-24s", text.data);
	buf_done(&text);
}

static void put_grown(const struct heap_view *view, struct buf *out)
{
	const struct heap_grown_rows *rows = &view->summary->grown;
	size_t most = view->rows && view->rows < rows->row.count ? view->rows : rows->row.count;

	if (most)
		(void)buf_puts(out, "\n Grown by realloc(), most moved bytes first:\n\n"
				    "         moved        calls    moved        largest  grows"
				    "                     stack, innermost first\n");
	for (size_t i = 0; i < most; i++) {
		const struct heap_grown *row = &rows->row.item[i];

		(void)buf_putc(out, ' ');
		bytes_put(row->moved_bytes, 9, out);
		(void)buf_printf(out, " %12.0f  %5.1f %%  ", row->calls,
				 row->calls > 0 ? 100 * row->moved / row->calls : 0);
		bytes_put(row->largest, 9, out);
		(void)buf_puts(out, "  ");
		put_pattern(row, out);
		(void)buf_puts(out, "  ");
		stack_line_put(view->profile, row->stack, row->stop, out);
	}
}

void heap_text(const struct heap_view *view, struct buf *out)
{
	struct heap_rows rows;

	put_totals(view, out);
	put_time_line(&view->summary->lives, out);
	put_lifetimes(&view->summary->lives, out);
	put_held(view, out);
	heap_rows_collect(view->profile, &rows);
	put_table(view, &rows, HEAP_ALLOCATED, view->maps ? "Mapped" : "Allocated", out);
	put_table(view, &rows, HEAP_PEAK, "Live at the peak", out);
	put_table(view, &rows, HEAP_LIVE, "Live at the end", out);
	put_table(view, &rows, HEAP_TEMPORARY,
		  view->summary->peak_ns == UINT64_MAX ? "Freed at once" : "Freed within 1 ms",
		  out);
	heap_rows_done(&rows);
	put_grown(view, out);
	if (!view->maps)
		heap_runtimes_text(view, out);
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
