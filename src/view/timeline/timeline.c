/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timeline pages (see timeline.h). "timeline-data" is base64 of zlib of a JSON object: title,
 * about, missing, end (length in us), kinds [{name, group, color, texture, idle}], labels, lanes
 * [{name, thread, process, pid, tid, cpu, slices}], context (null or {times, rows}). Times are us
 * after the start. Slices are numbers in ns, five for each: start less the end of the one before
 * (negative where slices share their time), length, how much of that is not its own, kind, label.
 */
#include "view/timeline/timeline.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/machine_series.h"
#include "view/flame/flame_pack.h"
#include "view/flame/flame_page.h"
#include "view/machine/machine_view.h"
#include "view/state_kind.h"

extern const char timeline_js[], timeline_js_sha256[];
extern const char timeline_css[], timeline_css_sha256[];

void timeline_done(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->lane.count; i++)
		vec_done(&timeline->lane.item[i].slice);
	vec_done(&timeline->lane);
	vec_done(&timeline->label);
}

static int64_t after_start_us(const struct timeline *timeline, uint64_t time_ns)
{
	return (int64_t)(time_ns - timeline->start_ns) / 1000;
}

static void put_string(struct buf *out, const char *name, const char *text)
{
	(void)buf_printf(out, "\"%s\":", name);
	(void)buf_put_json(out, text ? text : "");
}

static void put_kinds(const struct timeline *timeline, struct buf *out)
{
	for (size_t i = 0; i < timeline->kinds; i++) {
		(void)buf_puts(out, i ? "," : "");
		state_kind_put_json(&timeline->kind[i], out);
	}
}

static void put_slices(const struct timeline *timeline, const struct timeline_lane *lane,
		       struct buf *out)
{
	uint64_t before_ns = timeline->start_ns;

	for (size_t i = 0; i < lane->slice.count; i++) {
		const struct timeline_slice *slice = &lane->slice.item[i];
		uint64_t length = slice->end_ns - slice->start_ns;

		(void)buf_printf(out, "%s%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%u,%u", i ? "," : "",
				 (int64_t)(slice->start_ns - before_ns), length, length - slice->ns,
				 slice->kind, slice->label);
		before_ns = slice->end_ns;
	}
}

static void put_lanes(const struct timeline *timeline, struct buf *out)
{
	for (size_t i = 0; i < timeline->lane.count; i++) {
		const struct timeline_lane *lane = &timeline->lane.item[i];

		(void)buf_puts(out, i ? ",\n{" : "{");
		put_string(out, "name", lane->name);
		(void)buf_putc(out, ',');
		put_string(out, "thread", lane->thread);
		(void)buf_putc(out, ',');
		put_string(out, "process", lane->process);
		(void)buf_printf(out, ",\"pid\":%u,\"tid\":%u,\"cpu\":%s,\"slices\":[", lane->pid,
				 lane->tid, lane->cpu ? "true" : "false");
		put_slices(timeline, lane, out);
		(void)buf_puts(out, "]}");
	}
}

static void put_context(const struct timeline *timeline, struct buf *out)
{
	const struct machine_series *context = timeline->context;

	if (!context || !context->sample.count) {
		(void)buf_puts(out, "null");
		return;
	}
	(void)buf_puts(out, "{\"times\":[");
	for (size_t i = 0; i < context->sample.count; i++) {
		const struct machine_sample *sample = &context->sample.item[i];
		int64_t end_us = after_start_us(timeline, sample->time_ns);

		(void)buf_printf(out, "%s[%" PRId64 ",%" PRId64 "]", i ? "," : "",
				 end_us - (int64_t)(sample->interval_ns / 1000), end_us);
	}
	(void)buf_puts(out, "],\"rows\":");
	machine_json_rows(context, out);
	(void)buf_putc(out, '}');
}

static void put_data(const struct timeline *timeline, struct buf *out)
{
	(void)buf_putc(out, '{');
	put_string(out, "title", timeline->title);
	(void)buf_putc(out, ',');
	put_string(out, "about", timeline->about);
	(void)buf_putc(out, ',');
	put_string(out, "missing", timeline->missing);
	(void)buf_printf(out, ",\"end\":%" PRId64 ",\"kinds\":[",
			 after_start_us(timeline, timeline->end_ns));
	put_kinds(timeline, out);
	(void)buf_puts(out, "],\"labels\":[");
	for (size_t i = 0; i < timeline->label.count; i++) {
		(void)buf_puts(out, i ? "," : "");
		(void)buf_put_json(out, timeline->label.item[i]);
	}
	(void)buf_puts(out, "],\"lanes\":[");
	put_lanes(timeline, out);
	(void)buf_puts(out, "],\n\"context\":");
	put_context(timeline, out);
	(void)buf_putc(out, '}');
}

int timeline_html(const struct timeline *timeline, struct buf *ret, struct err *err)
{
	struct buf json = { 0 }, text = { 0 }, nothing = { 0 };
	int code;

	put_data(timeline, &json);
	code = flame_pack_bytes(&nothing, &json, &text, err);
	if (!code) {
		struct flame_data data = { "timeline-data", text.data };
		struct flame_page page = { .title = timeline->title,
					   .what = timeline->what,
					   .about = timeline->about,
					   .script = FLAME_ASSET(timeline_js),
					   .style = FLAME_ASSET(timeline_css),
					   .data = &data,
					   .data_count = 1 };

		flame_page_write(&page, ret);
	}
	buf_done(&json);
	buf_done(&text);
	return code;
}
