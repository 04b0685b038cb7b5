/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of functions as text and JSON (see function_times_view.h). */
#include "view/function_times_view.h"

#include <inttypes.h>

#include "base/buf.h"
#include "profile/function_times.h"

#define BAR_WIDTH 46

void function_times_text(const struct function_times *times, struct buf *out)
{
	(void)buf_puts(out, "# Total (us)   Avg (us)   Max (us)      Count   Function\n");
	for (size_t i = 0; i < times->item.count; i++) {
		const struct function_time *item = &times->item.item[i];
		double total = (double)item->total_ns / 1000;

		(void)buf_printf(out, "%12.3f %10.3f %10.3f %10" PRIu64 "   %s\n", total,
				 total / (double)item->count, (double)item->max_ns / 1000,
				 item->count, item->name);
	}
}

static void put_head(const struct function_times_view *view, uint64_t lost, struct buf *out)
{
	(void)buf_puts(out, "{\"cupel\":1,\"command\":[");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? "," : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_printf(out, "],\"lost\":%" PRIu64, lost);
}

void function_times_json(const struct function_times *times, const struct function_times_view *view,
			 struct buf *out)
{
	put_head(view, times->lost, out);
	(void)buf_puts(out, ",\"functions\":[");
	for (size_t i = 0; i < times->item.count; i++) {
		const struct function_time *item = &times->item.item[i];

		(void)buf_puts(out, i ? ",\n{\"name\":" : "\n{\"name\":");
		(void)buf_put_json(out, item->name);
		(void)buf_printf(out,
				 ",\"count\":%" PRIu64 ",\"total_ns\":%" PRIu64
				 ",\"max_ns\":%" PRIu64 "}",
				 item->count, item->total_ns, item->max_ns);
	}
	(void)buf_puts(out, "]}\n");
}

static void put_row(const struct latency_counts *counts, size_t i, struct buf *out)
{
	static const char bar[] = "##############################################";
	static const char *const small[] = { "ns", "us" }, *const large[] = { "us", "ms" };
	bool us = counts->unit_ns == 1000, last = i == LATENCY_BUCKETS - 1;
	uint64_t from = latency_counts_start(counts, i), to = 0;
	const char *unit = small[us];
	uint64_t part = counts->count ? counts->bucket[i] * BAR_WIDTH / counts->count : 0;

	if (!last)
		to = latency_counts_start(counts, i + 1);
	if (!counts->step && from >= 1024) {
		from >>= 10;
		to >>= 10;
		unit = large[us];
	}
	if (last && !counts->step) {
		from = 1;
		unit = us ? "s " : "ms";
	}
	if (last)
		(void)buf_printf(out, "  %4" PRIu64 " - %-4s", from, "...");
	else
		(void)buf_printf(out, "  %4" PRIu64 " - %4" PRIu64, from, to);
	(void)buf_printf(out, " %s | %10" PRIu64 " | %-*.*s |\n", unit, counts->bucket[i],
			 BAR_WIDTH, (int)part, bar);
}

void latency_counts_text(const struct latency_counts *counts,
			 const struct function_times_view *view, struct buf *out)
{
	double unit = (double)counts->unit_ns;

	(void)buf_printf(out, "# %14s | %10s | %-*s |\n", "  DURATION    ", "COUNT", BAR_WIDTH,
			 "GRAPH");
	for (size_t i = 0; i < LATENCY_BUCKETS; i++)
		if (counts->bucket[i] || !view->hide_empty)
			put_row(counts, i, out);
	if (!counts->count)
		return;
	(void)buf_printf(
		out,
		"\n# statistics  (in %s)\n  total time: %20.0f\n    avg time: %20.0f\n"
		"    max time: %20.0f\n    min time: %20.0f\n       count: %20" PRIu64 "\n",
		counts->unit_ns == 1000 ? "usec" : "nsec", (double)counts->total_ns / unit,
		(double)counts->total_ns / (double)counts->count / unit,
		(double)counts->max_ns / unit, (double)counts->min_ns / unit, counts->count);
}

void latency_counts_json(const struct latency_counts *counts,
			 const struct function_times_view *view, struct buf *out)
{
	put_head(view, counts->lost, out);
	(void)buf_printf(out,
			 ",\"count\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"min_ns\":%" PRIu64
			 ",\"max_ns\":%" PRIu64 ",\"buckets\":[",
			 counts->count, counts->total_ns, counts->min_ns, counts->max_ns);
	for (size_t i = 0; i < LATENCY_BUCKETS; i++) {
		(void)buf_printf(out, "%s{\"from_ns\":%" PRIu64, i ? "," : "",
				 latency_counts_start(counts, i) * counts->unit_ns);
		if (i < LATENCY_BUCKETS - 1)
			(void)buf_printf(out, ",\"to_ns\":%" PRIu64,
					 latency_counts_start(counts, i + 1) * counts->unit_ns);
		(void)buf_printf(out, ",\"count\":%" PRIu64 "}", counts->bucket[i]);
	}
	(void)buf_puts(out, "]}\n");
}
