/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits with their length, as perf inject -s makes them: a sched_switch sample, with its stack,
 * gets the period and the time of the sched_stat_* event of its thread that follows; alone, neither
 * is written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "format/trace/trace_field.h"
#include "format/trace/trace_print.h"
#include "session/inject/inject_private.h"

#define SAMPLE_WORDS ((size_t)8192)

struct stat_event {
	const struct event_desc *desc;
	struct trace_field pid;
};

struct inject_waits {
	struct trace_print *print;
	VEC(struct stat_event) stats;
	struct map last; /* thread → index + 1 of its last switch; its record lies in `records` */
	VEC(struct perf_event_header *) records;
	const struct event_desc *switches; /* NULL = none so far */
	uint64_t copy[SAMPLE_WORDS];
	size_t count;
};

static bool is_switch(const struct event_desc *desc)
{
	return desc && strcmp(desc->name, "sched:sched_switch") == 0;
}

struct inject_waits *inject_waits_new(struct perf_data *data, struct err *err)
{
	static const char stat[] = "sched:sched_stat_";
	const struct event_set *events = perf_data_events(data);
	struct inject_waits *waits = mem_zalloc(sizeof(*waits));
	bool switches = false;

	waits->print = trace_print_new(data);
	for (size_t i = 0; i < events->desc.count; i++) {
		struct stat_event event = { .desc = events->desc.item[i] };

		switches = switches || is_switch(event.desc);
		if (strncmp(event.desc->name, stat, sizeof(stat) - 1) == 0 &&
		    trace_print_field(waits->print, event.desc, "pid", &event.pid))
			vec_push(&waits->stats, event);
	}
	if (switches && waits->stats.count)
		return waits;
	inject_waits_free(waits);
	(void)err_set(err, -ENODATA, "no events sched:sched_switch and sched:sched_stat_*");
	(void)err_hint(err, "waits with stacks and lengths: cupel record -e off-cpu");
	return NULL;
}

void inject_waits_free(struct inject_waits *waits)
{
	if (!waits)
		return;
	trace_print_free(waits->print);
	for (size_t i = 0; i < waits->records.count; i++)
		free(waits->records.item[i]);
	vec_done(&waits->records);
	vec_done(&waits->stats);
	map_done(&waits->last);
	free(waits);
}

size_t inject_waits_count(const struct inject_waits *waits)
{
	return waits->count;
}

/* The sample of a thread's last switch is kept: it is gone from the reader by then. */
static void remember(struct inject_waits *waits, const struct event *event)
{
	const struct perf_event_header *record = event->raw;
	bool added;
	uint64_t *index = map_add(&waits->last, event->tid, &added);

	if (added) {
		vec_push(&waits->records, NULL);
		*index = waits->records.count;
	}
	free(waits->records.item[*index - 1]);
	waits->records.item[*index - 1] = mem_alloc(record->size);
	memcpy(waits->records.item[*index - 1], record, record->size);
}

/* Words of a sample in front of one of its first fields, which are all 8 bytes. */
static size_t words_before(uint64_t sample_type, uint64_t field)
{
	static const uint64_t order[] = { PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,
					  PERF_SAMPLE_TID,	  PERF_SAMPLE_TIME,
					  PERF_SAMPLE_ADDR,	  PERF_SAMPLE_ID,
					  PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,
					  PERF_SAMPLE_PERIOD };
	size_t words = 0;

	for (size_t i = 0; order[i] != field; i++)
		words += (sample_type & order[i]) != 0;
	return words;
}

static bool set_field(struct inject_waits *waits, const struct event_desc *desc, uint64_t field,
		      uint64_t value)
{
	const struct perf_event_header *record = (const struct perf_event_header *)waits->copy;
	size_t at = 1 + words_before(desc->attr.sample_type, field);

	if (!(desc->attr.sample_type & field))
		return true; /* there is none */
	if ((at + 1) * sizeof(uint64_t) > record->size)
		return false;
	waits->copy[at] = value;
	return true;
}

/* The last switch of the thread that a sched_stat_* event is about, with its weight and time. */
static const struct perf_event_header *
merge(struct inject_waits *waits, const struct stat_event *stat, const struct event *event)
{
	struct trace_payload payload = { event->sample.raw, event->sample.raw_len };
	uint64_t index;
	int64_t pid;

	if (!event->sample.raw || !trace_field_number(&stat->pid, payload, &pid) ||
	    !map_get(&waits->last, (uint32_t)pid, &index))
		return NULL;
	memcpy(waits->copy, waits->records.item[index - 1], waits->records.item[index - 1]->size);
	if (!set_field(waits, waits->switches, PERF_SAMPLE_PERIOD, event->sample.period) ||
	    (event->has_time &&
	     !set_field(waits, waits->switches, PERF_SAMPLE_TIME, event->time_ns)))
		return NULL;
	waits->count++;
	return (const struct perf_event_header *)waits->copy;
}

const struct perf_event_header *inject_waits_sample(struct inject_waits *waits,
						    const struct event *event)
{
	if (is_switch(event->desc)) {
		waits->switches = event->desc;
		remember(waits, event);
		return NULL;
	}
	for (size_t i = 0; i < waits->stats.count; i++)
		if (waits->stats.item[i].desc == event->desc)
			return waits->switches ? merge(waits, &waits->stats.item[i], event) : NULL;
	return event->raw;
}
