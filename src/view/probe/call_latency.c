/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints times of functions (see call_latency.h). */
#include "view/probe/call_latency.h"

#include <inttypes.h>

#include "base/buf.h"
#include "view/latency/bucket_rows.h"

static void fill(const struct call_latency *times, const struct call_latency_view *view,
		 struct bucket_row ret[CALL_TIME_SLOTS])
{
	for (unsigned i = 0; i < CALL_TIME_SLOTS; i++) {
		struct bucket_row *row = &ret[i];

		row->count = times->slot[i];
		if (!view->step) {
			row->from = i ? (uint64_t)1 << i : 0;
			row->to = i < 63 ? ((uint64_t)2 << i) - 1 : UINT64_MAX;
			continue;
		}
		row->from = i ? view->from + (i - 1) * view->step : 0;
		row->to = view->from + i * view->step - (i || view->from);
		if (i == CALL_TIME_SLOTS - 1)
			row->to = UINT64_MAX;
	}
}

/* With steps from 0 there is nothing below the first one. */
static unsigned first_row(const struct call_latency_view *view)
{
	return view->step && !view->from;
}

void call_latency_text(const struct call_latency *times, size_t count,
		       const struct call_latency_view *view, struct buf *ret)
{
	uint64_t total_ns = 0, calls = 0;

	for (size_t i = 0; i < count; i++) {
		struct bucket_row row[CALL_TIME_SLOTS];
		unsigned first = first_row(view);

		if (!times[i].returned)
			continue;
		if (times[i].name)
			(void)buf_printf(
				ret, "\n%s%s\n",
				view->heading ? view->heading : "Function = ", times[i].name);
		fill(&times[i], view, row);
		bucket_rows_text(view->unit, row + first, CALL_TIME_SLOTS - first, ret);
		total_ns += times[i].total_ns;
		calls += times[i].returned;
	}
	if (calls)
		(void)buf_printf(
			ret, "\navg = %" PRIu64 " %s, total: %" PRIu64 " %s, count: %" PRIu64 "\n",
			total_ns / view->unit_ns / calls, view->unit, total_ns / view->unit_ns,
			view->unit, calls);
}

void call_latency_json(const struct call_latency *times, size_t count,
		       const struct call_latency_view *view, struct buf *ret)
{
	const char *comma = "";

	(void)buf_printf(ret,
			 "{\"cupel\":1,\"what\":\"function latency\",\"unit\":\"%s\","
			 "\"functions\":[",
			 view->unit);
	for (size_t i = 0; i < count; i++) {
		struct bucket_row row[CALL_TIME_SLOTS];

		if (!times[i].calls)
			continue;
		(void)buf_printf(ret, "%s{", comma);
		comma = ",";
		if (times[i].name) {
			(void)buf_puts(ret, "\"name\":");
			(void)buf_put_json(ret, times[i].name);
			(void)buf_putc(ret, ',');
		}
		(void)buf_printf(ret,
				 "\"calls\":%" PRIu64 ",\"returned\":%" PRIu64
				 ",\"total_ns\":%" PRIu64 ",\"buckets\":",
				 times[i].calls, times[i].returned, times[i].total_ns);
		fill(&times[i], view, row);
		bucket_rows_json(row, CALL_TIME_SLOTS, ret);
		(void)buf_putc(ret, '}');
	}
	(void)buf_printf(ret, "]%s}\n", view->more ? view->more : "");
}
