/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes of a time chart (see time_chart_lanes.h). */
#include "view/sched/time_chart_lanes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "profile/sched/sched_spans.h"
#include "view/sched/time_chart.h"

void time_chart_range(const struct sched_spans *spans, const struct time_chart_options *options,
		      uint64_t *ret_start_ns, uint64_t *ret_end_ns)
{
	*ret_start_ns = options->start_ns > spans->first_ns ? options->start_ns : spans->first_ns;
	*ret_end_ns = options->end_ns && options->end_ns < spans->last_ns ? options->end_ns
									  : spans->last_ns;
	if (*ret_end_ns <= *ret_start_ns)
		*ret_end_ns = *ret_start_ns + 1;
}

/* What a lane is sorted by. */
struct weight {
	uint32_t lane, kind;
	uint64_t ns;
	const struct sched_lane *of;
};

bool chart_lanes_part(const struct chart_lanes *lanes, size_t span, struct chart_lane_part *ret)
{
	const struct sched_lane_span *from = &lanes->lanes->span.item[span];
	uint64_t end_ns = from->end_ns < lanes->end_ns ? from->end_ns : lanes->end_ns;
	uint64_t least = lanes->options->min_ns, next_ns = lanes->end_ns;
	uint32_t next = lanes->next[span];

	ret->start_ns = from->start_ns > lanes->start_ns ? from->start_ns : lanes->start_ns;
	if (ret->start_ns >= end_ns)
		return false;
	ret->ns = end_ns - ret->start_ns;
	ret->end_ns = end_ns;
	if (next && lanes->lanes->span.item[next - 1].start_ns < next_ns)
		next_ns = lanes->lanes->span.item[next - 1].start_ns;
	if (from->doing >= SCHED_DOING_INTERRUPT || ret->ns >= least || next_ns <= end_ns)
		return true;
	ret->end_ns = next_ns - ret->start_ns > least ? ret->start_ns + least : next_ns;
	return true;
}

bool chart_lane_has_times(const struct sched_lanes *lanes, uint32_t lane)
{
	enum sched_lane_kind kind = lanes->lane.item[lane].kind;

	return kind != SCHED_LANE_SENT && kind != SCHED_LANE_RECEIVED;
}

void chart_lane_name(const struct sched_lanes *lanes, uint32_t lane, size_t most, struct buf *ret)
{
	const struct sched_lane *of = &lanes->lane.item[lane];

	switch (of->kind) {
	case SCHED_LANE_INTERRUPTS:
		(void)buf_printf(ret, "interrupts CPU %" PRIu32, of->number);
		break;
	case SCHED_LANE_DISK:
		(void)buf_puts(ret, "disk ");
		if (of->name)
			(void)buf_put_tidy(ret, of->name);
		else
			(void)buf_printf(ret, "%" PRIu32 ":%" PRIu32,
					 of->number >> SCHED_DEVICE_MINOR_BITS,
					 of->number & ((1u << SCHED_DEVICE_MINOR_BITS) - 1));
		break;
	case SCHED_LANE_SENT:
	case SCHED_LANE_RECEIVED:
		(void)buf_put_cut(ret, of->name && *of->name ? of->name : "?", most);
		(void)buf_puts(ret, of->kind == SCHED_LANE_SENT ? " sent" : " received");
		break;
	case SCHED_LANE_CALLS:
		(void)buf_put_cut(ret, of->task->comm ? of->task->comm : "?",
				  most > 4 ? most - 4 : most);
		(void)buf_printf(ret, " %" PRIu32 " I/O", of->task->tid);
		break;
	}
}

static const char *thing_of(enum sched_lane_kind kind)
{
	static const char *const things[] = { "interrupt", "request", "packet", "packet", "call" };

	return things[kind];
}

static void put_amount(enum sched_lane_kind kind, uint64_t count, uint64_t bytes, struct buf *ret)
{
	(void)buf_printf(ret, ", %" PRIu64 " %s%s", count, thing_of(kind), count == 1 ? "" : "s");
	if (bytes)
		(void)buf_printf(ret, ", %" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
}

void chart_lane_put_amount(const struct chart_lanes *lanes, uint32_t lane, uint8_t doing,
			   struct buf *ret)
{
	uint64_t count = 0, bytes = 0;

	for (uint32_t at = lanes->first[lane]; at; at = lanes->next[at - 1]) {
		const struct sched_lane_span *span = &lanes->lanes->span.item[at - 1];

		if (span->doing != doing || span->end_ns <= lanes->start_ns ||
		    span->end_ns > lanes->end_ns + SCHED_PACKET_NS)
			continue;
		count += span->count;
		bytes += span->bytes;
	}
	put_amount(lanes->lanes->lane.item[lane].kind, count, bytes, ret);
}

void chart_lane_span_text(const struct sched_lanes *lanes, const struct sched_lane_span *span,
			  struct buf *ret)
{
	enum sched_lane_kind kind = lanes->lane.item[span->lane].kind;
	const char *name = lanes->names ? strtab_get(lanes->names, span->name) : "";
	struct buf amount = { 0 };

	(void)buf_puts(ret, name);
	if (kind == SCHED_LANE_INTERRUPTS)
		return;
	if (span->fd >= 0)
		(void)buf_printf(ret, ", fd %" PRId32, span->fd);
	if (kind != SCHED_LANE_CALLS || span->count > 1 || span->bytes) {
		put_amount(kind, span->count, span->bytes, &amount);
		(void)buf_puts(ret, amount.data + (*name ? 0 : 2));
		buf_done(&amount);
	}
	if (span->error)
		(void)buf_printf(ret, ": %s", strerror(span->error));
}

static bool is_wanted(const struct time_chart_options *o, const struct sched_lane *lane)
{
	switch (lane->kind) {
	case SCHED_LANE_INTERRUPTS:
		return !o->no_cpus;
	case SCHED_LANE_CALLS:
		return !o->no_calls && (!o->wanted || o->wanted(o->context, lane->task));
	default:
		return !o->no_devices;
	}
}

/* By kind; threads by their time, all else by its number or name. */
static int compare(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind == SCHED_LANE_CALLS && x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->of->name && y->of->name && strcmp(x->of->name, y->of->name) != 0)
		return strcmp(x->of->name, y->of->name);
	return x->of->number < y->of->number ? -1 : x->of->number > y->of->number;
}

static uint64_t time_of(const struct chart_lanes *lanes, uint32_t lane)
{
	struct chart_lane_part part;
	uint64_t ns = 0;

	for (uint32_t at = lanes->first[lane]; at; at = lanes->next[at - 1])
		if (chart_lanes_part(lanes, at - 1, &part))
			ns += lanes->lanes->span.item[at - 1].doing == SCHED_DOING_WAIT ? 1
											: part.ns;
	return ns;
}

static void choose(struct chart_lanes *lanes)
{
	const struct time_chart_options *o = lanes->options;
	size_t count = lanes->lanes->lane.count, used = 0, calls = 0;
	AUTO_FREE struct weight *weight = mem_zalloc((count + 1) * sizeof(*weight));

	for (uint32_t i = 0; i < count; i++) {
		const struct sched_lane *lane = &lanes->lanes->lane.item[i];
		uint64_t ns = is_wanted(o, lane) ? time_of(lanes, i) : 0;

		if (ns)
			weight[used++] = (struct weight){ i, lane->kind, ns, lane };
	}
	if (used)
		qsort(weight, used, sizeof(*weight), compare);
	for (size_t i = 0; i < used; i++) {
		bool call = weight[i].kind == SCHED_LANE_CALLS;

		if (call && o->max_tasks && calls >= o->max_tasks) {
			lanes->left_out++;
			continue;
		}
		calls += call;
		lanes->machine += !call;
		vec_push(&lanes->shown, weight[i].lane);
	}
}

void chart_lanes_make(const struct sched_spans *spans, const struct time_chart_options *options,
		      struct chart_lanes *ret)
{
	const struct sched_lanes *lanes = &spans->lanes;

	*ret = (struct chart_lanes){ .lanes = lanes, .options = options };
	time_chart_range(spans, options, &ret->start_ns, &ret->end_ns);
	ret->first = mem_zalloc((lanes->lane.count + 1) * sizeof(*ret->first));
	ret->next = mem_zalloc((lanes->span.count + 1) * sizeof(*ret->next));
	for (size_t i = lanes->span.count; i-- > 0;) {
		uint32_t *first = &ret->first[lanes->span.item[i].lane];

		ret->next[i] = *first;
		*first = (uint32_t)i + 1;
	}
	choose(ret);
}

void chart_lanes_done(struct chart_lanes *lanes)
{
	vec_done(&lanes->shown);
	free(lanes->first);
	free(lanes->next);
}
