/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timelines as Chrome's trace events (see timeline.h), in JSON: a track for each lane, and counters
 * for the machine's state. Slices with the same time are written in sequence within it, the largest
 * first, and marked. Format: "Trace Event Format" of the Chromium project. */
#include <inttypes.h>
#include <math.h>

#include "base/buf.h"
#include "profile/machine_series.h"
#include "view/state_kind.h"
#include "view/timeline/timeline.h"

static void put_us(struct buf *out, const char *name, uint64_t ns)
{
	(void)buf_printf(out, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
}

static void put_names(const struct timeline_lane *lane, uint32_t pid, uint32_t tid, struct buf *out)
{
	(void)buf_printf(out,
			 "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
			 "\"args\":{\"name\":",
			 pid, tid);
	(void)buf_put_json(out, lane->name);
	(void)buf_printf(out,
			 "}},\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,"
			 "\"args\":{\"name\":",
			 pid);
	(void)buf_put_json(out, lane->process && *lane->process ? lane->process : lane->name);
	(void)buf_puts(out, "}}");
}

static void put_slice(const struct timeline *timeline, const struct timeline_lane *lane,
		      const struct timeline_slice *slice, uint64_t start_ns, struct buf *out)
{
	const struct state_kind *kind = &timeline->kind[slice->kind];

	(void)buf_puts(out, ",\n{\"ph\":\"X\",\"name\":");
	(void)buf_put_json(out, kind->name);
	(void)buf_puts(out, ",\"cat\":");
	(void)buf_put_json(out, kind->group);
	put_us(out, "ts", start_ns - timeline->start_ns);
	put_us(out, "dur", slice->ns);
	(void)buf_printf(out, ",\"pid\":%u,\"tid\":%u", lane->pid, lane->tid);
	if (slice->label && slice->label < timeline->label.count) {
		(void)buf_puts(out, ",\"args\":{\"by\":");
		(void)buf_put_json(out, timeline->label.item[slice->label]);
		(void)buf_putc(out, '}');
	} else if (slice->ns < slice->end_ns - slice->start_ns) {
		(void)buf_printf(out, ",\"args\":{\"somewhere_in_us\":%" PRIu64 "}",
				 (slice->end_ns - slice->start_ns) / 1000);
	}
	(void)buf_putc(out, '}');
}

static void put_lane(const struct timeline *timeline, const struct timeline_lane *lane,
		     struct buf *out)
{
	uint64_t next_ns = 0;

	for (size_t i = 0; i < lane->slice.count; i++) {
		const struct timeline_slice *slice = &lane->slice.item[i];

		if (next_ns < slice->start_ns)
			next_ns = slice->start_ns;
		put_slice(timeline, lane, slice, next_ns, out);
		next_ns += slice->ns;
	}
}

static void put_context(const struct timeline *timeline, struct buf *out)
{
	const struct machine_series *context = timeline->context;
	struct machine_rows rows;

	if (!context)
		return;
	machine_rows_make(context, &rows);
	for (size_t i = 0; i < rows.row.count; i++) {
		const struct machine_row *row = &rows.row.item[i];

		for (size_t j = 0; j < context->sample.count; j++) {
			const struct machine_sample *sample = &context->sample.item[j];
			uint64_t start_ns = sample->time_ns - sample->interval_ns;
			struct buf name = { 0 };

			if (isnan(row->value[j]) || !(row->max > 0))
				continue;
			(void)buf_printf(&name, "%s: %s", row->group, row->name);
			(void)buf_puts(out, ",\n{\"ph\":\"C\",\"name\":");
			(void)buf_put_json(out, name.data);
			put_us(out, "ts",
			       start_ns > timeline->start_ns ? start_ns - timeline->start_ns : 0);
			(void)buf_printf(out, ",\"pid\":0,\"args\":{\"%s\":%.6g}}",
					 machine_row_unit_name(row->unit), row->value[j]);
			buf_done(&name);
		}
	}
	machine_rows_done(&rows);
}

void timeline_chrome_trace(const struct timeline *timeline, struct buf *ret)
{
	(void)buf_puts(ret, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"title\":");
	(void)buf_put_json(ret, timeline->title);
	(void)buf_puts(ret, ",\"about\":");
	(void)buf_put_json(ret, timeline->about ? timeline->about : "");
	(void)buf_puts(ret, "},\n\"traceEvents\":[\n"
			    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":"
			    "{\"name\":\"machine\"}}");
	for (size_t i = 0; i < timeline->lane.count; i++) {
		const struct timeline_lane *lane = &timeline->lane.item[i];

		(void)buf_puts(ret, ",\n");
		put_names(lane, lane->pid, lane->tid, ret);
		put_lane(timeline, lane, ret);
	}
	put_context(timeline, ret);
	(void)buf_puts(ret, "\n]}\n");
}
