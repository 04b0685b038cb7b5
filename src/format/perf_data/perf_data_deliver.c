/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a record's bytes to an event in the sink: counting, time order, decoding. Samples with
 * counter values (PERF_SAMPLE_READ) become one event per counter, with the increase since the last
 * sample as its period, as such groups are defined. */
#include <stdlib.h>

#include "base/err.h"
#include "event/perf_record.h"
#include "format/perf_data/perf_data_private.h"

/* Limit for a window without a round in it. */
#define WINDOW_RECORDS ((size_t)32 << 20)
#define WINDOW_BYTES   ((size_t)512 << 20)

#define NOTED_BATCH 4096
#define AHEAD	    8  /* records are fetched before they are read, */
#define LINE_BYTES  64 /* the first two lines of each, */
#define FETCH_BYTES \
	4096 /* and the records after them during the search: each has the position of the next */

/* The record aligned and host-endian; `copy` (64 KiB) is used when it is not. */
static const struct perf_event_header *host_record(const struct perf_data *data,
						   const uint8_t *record, uint64_t *copy)
{
	struct perf_event_header header;

	if (!data->header.swapped && (uintptr_t)record % sizeof(uint64_t) == 0)
		return (const struct perf_event_header *)record;
	header = perf_data_record_header(data, record);
	memcpy(copy, record, header.size);
	if (data->header.swapped)
		perf_data_swap_record(&data->events, (struct perf_event_header *)copy);
	return (const struct perf_event_header *)copy;
}

/* One counter of a sample: `value` now; the event's period is the difference. Unchanged counters
 * give no event. */
static int deliver_counter(struct perf_data *data, struct event *event, uint64_t value, uint64_t id,
			   struct err *err)
{
	bool added;
	uint64_t *last = map_add(&data->counters, id, &added);

	event->id = id;
	event->desc = event_set_find(&data->events, id);
	event->sample.period = value - *last;
	*last = value;
	if (!event->desc) {
		data->delivered.bad_records++;
		return 0;
	}
	return event->sample.period ? data->sink->event(data->sink, event, err) : 0;
}

/* read_format layouts are in perf_event_open(2); perf_record_decode() has checked the length. */
static int deliver_counters(struct perf_data *data, struct event *event, struct err *err)
{
	uint64_t format = event->desc->attr.read_format;
	const uint64_t *value = event->sample.read;
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t step = 2 + !!(format & PERF_FORMAT_LOST);
	int failed = 0;

	if (!(format & PERF_FORMAT_GROUP))
		return deliver_counter(data, event, value[0], value[1 + times], err);
	for (uint64_t i = 0; i < value[0] && !failed; i++) {
		const uint64_t *item = value + 1 + times + i * step;

		failed = deliver_counter(data, event, item[0], item[1], err);
	}
	return failed;
}

static void count_event(struct perf_data_stats *stats, const struct event *event)
{
	switch (event->type) {
	case EVENT_SAMPLE:
		stats->samples++;
		break;
	case EVENT_LOST:
		stats->lost_events += event->lost.count;
		break;
	case EVENT_LOST_SAMPLES:
		stats->lost_samples += event->lost.count;
		break;
	case EVENT_THROTTLE:
		stats->throttled++;
		break;
	default:
		break;
	}
}

static uint64_t offset_of(const struct perf_data *data, const uint8_t *record)
{
	bool inside = data->map && record >= data->map && record < data->map + data->map_len;

	return inside ? (uint64_t)(record - data->map) : 0;
}

/* The first one, cut to what fits. */
static void note_damage(struct perf_data *data, const char *what)
{
	char *damage = data->delivered.damage;

	if (!damage[0])
		memcpy(damage, what, strnlen(what, sizeof(data->delivered.damage) - 1));
}

static int deliver_event(struct perf_data *data, const uint8_t *record, struct err *err)
{
	const struct perf_event_header *host = host_record(data, record, data->record_copy);
	struct event event;
	struct err why; /* large: only written on failure */

	if (perf_record_decode(&data->events, host, &event, &why)) {
		data->delivered.bad_records++;
		note_damage(data, why.msg);
		return 0;
	}
	event.file_offset = offset_of(data, record);
	count_event(&data->delivered, &event);
	if (event.type == EVENT_SAMPLE && event.sample.read &&
	    (event.desc->attr.read_format & PERF_FORMAT_ID))
		return deliver_counters(data, &event, err);
	return data->sink->event(data->sink, &event, err);
}

/* Prefetches: records lie in runs per CPU, an order that the processor does not predict. */
static inline void fetch_ahead(const struct timed_record *item, size_t n, size_t count)
{
	if (n + AHEAD >= count)
		return;
	__builtin_prefetch(item[n + AHEAD].record);
	__builtin_prefetch(item[n + AHEAD].record + LINE_BYTES);
}

/* Takes consecutive ones; returns their number. */
static int deliver_digests(struct perf_data *data, const struct timed_record *item, size_t *count,
			   struct err *err)
{
	struct timed_records records = { item, *count < NOTED_BATCH ? *count : NOTED_BATCH,
					 offset_of(data, item->record) };
	int failed = data->sink->take_digests(data->sink, &records, err);

	*count = records.count;
	data->delivered.samples += records.count;
	return failed;
}

int perf_data_deliver(void *context, const struct timed_record *item, size_t count, struct err *err)
{
	struct perf_data *data = context;
	size_t n = 0, step;
	int failed = 0;

	for (; n < count && !failed; n += step) {
		if (timed_record_has_digest(&item[n])) {
			step = count - n;
			failed = deliver_digests(data, &item[n], &step, err);
			continue;
		}
		fetch_ahead(item, n, count);
		failed = deliver_event(data, item[n].record, err);
		step = 1;
	}
	return failed;
}

/* Records made by user space have no common layout and no time. */
static int deliver_user(struct perf_data *data, const uint8_t *record,
			struct perf_event_header header, struct err *err)
{
	struct event event = {
		.misc = header.misc, .pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX
	};

	if (data->order.queue && header.type == USER_RECORD_ROUND)
		return 0; /* useless without the records in sequence */
	if (order_wait(&data->order, err))
		return err->code;
	if (header.type == USER_RECORD_BUILD_ID &&
	    !perf_data_decode_build_id(
		    perf_data_blob(data, record + sizeof(header), header.size - sizeof(header)),
		    header.misc, &event)) {
		data->stats.bad_records++;
		return 0;
	}
	if (header.type == USER_RECORD_ROUND)
		event.type = EVENT_ROUND;
	event.raw = host_record(data, record, data->record_copy);
	event.file_offset = offset_of(data, record);
	return data->sink->event(data->sink, &event, err);
}

static bool frees_before(const struct chunks *chunks, uint64_t round)
{
	return chunks->first && chunks->first != chunks->last && chunks->first->round < round;
}

int perf_data_flush(struct perf_data *data, uint64_t limit_ns, struct err *err)
{
	int failed = order_flush(&data->order, limit_ns, err);
	uint64_t round = data->order.round;

	if (data->order.queue) /* what this call passed on is still in the background thread */
		round = data->flushed_round;
	data->flushed_round = data->order.round;
	/* The sink may still have pointers into memory that is freed now. */
	if (!failed && data->sink && data->sink->flush &&
	    (frees_before(&data->stream, round) || frees_before(&data->unpacked, round)))
		failed = data->sink->flush(data->sink, err);
	chunks_free_before(&data->stream, round);
	chunks_free_before(&data->unpacked, round);
	return failed;
}

/* Passes a sample to a sink that makes digests. Returns false if the sink drops it; the order of
 * its round is unchanged. */
static inline bool is_wanted(struct perf_data *data, struct timed_record *item)
{
	if (!data->sink || !data->sink->make_digest || data->sink->make_digest(data->sink, item))
		return true;
	data->stats.samples++;
	return false;
}

/* One step does all work on a record while it is in the cache; the next records are prefetched
 * meanwhile. */
size_t perf_data_take_samples(struct perf_data *data, const uint8_t *bytes, size_t len)
{
	const uint8_t *at = bytes, *end = bytes + len;
	struct order *order = &data->order;
	int place = data->events.sample_time;
	size_t least = sizeof(struct perf_event_header) + (size_t)(place + 1) * sizeof(uint64_t);
	size_t count = 0;

	if (data->header.swapped || data->unordered || data->tap.record ||
	    !data->events.desc.count || place < 0 || (uintptr_t)bytes % sizeof(uint64_t))
		return 0;
	for (; (size_t)(end - at) >= least && order->items.count < WINDOW_RECORDS; count++) {
		const struct perf_event_header *header = (const struct perf_event_header *)at;
		const uint64_t *body = (const uint64_t *)(header + 1);
		struct timed_record *item = order_next(order);

		if (header->type != PERF_RECORD_SAMPLE || header->size < least ||
		    header->size > (size_t)(end - at) || header->size % sizeof(uint64_t) ||
		    body[place] == 0 || body[place] == UINT64_MAX)
			break;
		__builtin_prefetch(at + FETCH_BYTES);
		__builtin_prefetch(at + FETCH_BYTES + LINE_BYTES);
		*item = (struct timed_record){ .time_ns = body[place], .record = at };
		if (is_wanted(data, item))
			order_add(order);
		else
			order_pass(order, item->time_ns);
		at += header->size;
	}
	data->stats.records += count;
	data->stats.by_type[PERF_RECORD_SAMPLE] += count;
	return (size_t)(at - bytes);
}

/* After all that is still in the background thread. */
static int deliver_now(struct perf_data *data, const struct timed_record *item, struct err *err)
{
	int failed = order_wait(&data->order, err);

	return failed ? failed : perf_data_deliver(data, item, 1, err);
}

static int queue_record(struct perf_data *data, const struct timed_record *item, struct err *err)
{
	struct order *order = &data->order;

	*order_next(order) = *item;
	order_add(order);
	if (data->stream.last)
		data->stream.last->round = order->round;
	if (data->unpacked.last)
		data->unpacked.last->round = order->round;
	if (order->items.count < WINDOW_RECORDS &&
	    data->stream.held_bytes + data->unpacked.held_bytes < WINDOW_BYTES)
		return 0;
	order->round++;
	return perf_data_flush(data, UINT64_MAX, err);
}

int perf_data_take_record(struct perf_data *data, const uint8_t *record,
			  struct perf_event_header header, struct err *err)
{
	struct timed_record item = { .record = record };
	const struct perf_event_header *host;
	bool timed;

	if (data->tap.record && data->tap.record(data->tap.context, record, header, err))
		return err->code;
	data->stats.records++;
	if (header.type < 256)
		data->stats.by_type[header.type]++;
	if (header.type >= USER_RECORD_ATTR) {
		data->stats.unknown_records += header.type > USER_RECORD_LAST;
		return data->sink ? deliver_user(data, record, header, err) : 0;
	}
	data->stats.unknown_records += header.type == 0 || header.type > KERNEL_RECORD_LAST;
	host = host_record(data, record, data->record_probe);
	timed = perf_record_time(&data->events, host, &item.time_ns) && !data->unordered &&
		item.time_ns != 0 && item.time_ns != UINT64_MAX;
	if (header.type == PERF_RECORD_SAMPLE && (const uint8_t *)host == record &&
	    !is_wanted(data, &item)) {
		order_pass(&data->order, timed ? item.time_ns : 0);
		return 0;
	}
	return timed ? queue_record(data, &item, err) : deliver_now(data, &item, err);
}
