/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The budget of a source without BPF programs: what its samples take is estimated from their number
 * and bytes, and from the time of the threads that read and write them. */
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "event/sink.h"
#include "source/perf_event/perf_event.h"

#define WINDOW_NS     100000000u
#define NS_PER_SECOND 1000000000ull
/* The kernel's part of a sample, without the interrupt, and of each byte that it copies. */
#define SAMPLE_NS     2000u
#define BYTES_EACH_NS 4u
/* Reading and writing takes no more; the rest of the threads' time is not that of samples. */
#define SAMPLE_MOST_NS 4000u

/* Records are 8-byte aligned, so a header and each field lie whole in one of the parts. */
static uint8_t *place_of(const struct record_span *span, size_t at)
{
	const uint8_t *first = span->data[0], *second = span->data[1];
	const uint8_t *place = at < span->len[0] ? first + at : second + (at - span->len[0]);

	return (uint8_t *)(uintptr_t)place;
}

static uint64_t field(const struct record_span *span, size_t at)
{
	uint64_t value;

	memcpy(&value, place_of(span, at), sizeof(value));
	return value;
}

static const struct perf_selected *event_of(const struct perf_source *source, uint64_t id)
{
	const struct event_desc *desc = event_set_find(&source->events, id);

	for (size_t i = 0; i < source->selected_count; i++)
		if (source->selected[i].desc == desc)
			return &source->selected[i];
	return NULL;
}

/* Events of threads have children in new threads: those that were there when the rate changed keep
 * theirs, later ones begin with the new one and say so. */
static bool is_changed(const struct perf_source *source, uint32_t tid)
{
	if (source->target.pid.item[0] == -1)
		return true;
	for (size_t i = 0; i < source->target.pid.count; i++)
		if ((uint32_t)source->target.pid.item[i] == tid)
			return true;
	return false;
}

/* The kernel's clocks put the period that they were opened with into all samples. */
static void correct_period(struct perf_source *source, const struct record_span *span, size_t at,
			   double slow)
{
	const uint64_t before_tid = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
	const uint64_t before = before_tid | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
				PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	const struct perf_selected *selected = &source->selected[0];
	struct perf_event_attr attr;
	uint64_t type = selected->attr.sample_type, period;
	size_t fields = at + sizeof(struct perf_event_header);

	if (type & PERF_SAMPLE_IDENTIFIER)
		selected = event_of(source, field(span, fields));
	if (!selected || !perf_source_is_slowed(selected) || !perf_attr_is_clock(&selected->attr) ||
	    !(selected->attr.sample_type & PERF_SAMPLE_PERIOD))
		return;
	type = selected->attr.sample_type;
	if ((type & PERF_SAMPLE_TID) &&
	    !is_changed(source,
			(uint32_t)(field(span,
					 fields + sizeof(uint64_t) * (size_t)__builtin_popcountll(
									     type & before_tid)) >>
				   32)))
		return;
	attr = selected->attr;
	perf_attr_slow(&attr, selected->asked, slow);
	period = attr.freq ? NS_PER_SECOND / attr.sample_freq : attr.sample_period;
	memcpy(place_of(span,
			fields + sizeof(uint64_t) * (size_t)__builtin_popcountll(type & before)),
	       &period, sizeof(period));
}

static void take_sample(struct perf_source *source, const struct record_span *span, size_t at,
			size_t size)
{
	const struct perf_rate *rate = &source->rate;
	double slow = source->drained && source->drained->tail + at < source->drained->changed_at
			      ? rate->before
			      : rate->now;

	source->used.samples++;
	source->used.bytes += size;
	if (rate->changed && source->drained)
		correct_period(source, span, at, slow);
}

static int on_records(struct sink *sink, const struct record_span *span, struct err *err)
{
	struct perf_source *source =
		(struct perf_source *)((char *)sink - offsetof(struct perf_source, counter));
	size_t len = span->len[0] + span->len[1];
	struct record_span copy = { .cpu = span->cpu, .len = { len, 0 } };

	if (source->rate.changed) { /* the ring itself cannot be written */
		buf_clear(&source->corrected);
		(void)buf_append(&source->corrected, span->data[0], span->len[0]); /* no limit */
		(void)buf_append(&source->corrected, span->data[1], span->len[1]);
		copy.data[0] = copy.data[1] = (const uint8_t *)source->corrected.data;
		span = &copy;
	}
	for (size_t at = 0; at + sizeof(struct perf_event_header) <= len;) {
		const struct perf_event_header *header = (const void *)place_of(span, at);

		if (header->size < sizeof(*header))
			break; /* the kernel writes none of these */
		if (header->type == PERF_RECORD_SAMPLE)
			take_sample(source, span, at, header->size);
		at += header->size;
	}
	return source->to->records(source->to, span, err);
}

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct perf_source *source =
		(struct perf_source *)((char *)sink - offsetof(struct perf_source, counter));

	return source->to->event(source->to, event, err);
}

struct sink *perf_source_counter(struct perf_source *source, struct sink *to)
{
	if (source->hooks || !source->budget.share) /* the owner counts, or nobody */
		return to;
	source->counter = (struct sink){ .event = on_event, .records = on_records };
	source->to = to;
	return &source->counter;
}

int perf_source_keep_to_budget(struct perf_source *source, struct err *err)
{
	struct perf_used now = source->used, *last = &source->used_before;
	uint64_t samples, bytes, threads, most, events = 0;
	double rate = perf_source_rate(source);
	struct sampling_use use;

	now.at_ns = clock_ns(CLOCK_MONOTONIC);
	if (source->hooks || !source->budget.share || now.at_ns - last->at_ns < WINDOW_NS)
		return 0;
	for (size_t i = 0; i < source->selected_count; i++)
		events += perf_source_is_slowed(&source->selected[i]);
	now.threads_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (source->source.writer_cpu_ns)
		now.threads_ns += __atomic_load_n(source->source.writer_cpu_ns, __ATOMIC_RELAXED);
	samples = now.samples - last->samples;
	bytes = now.bytes - last->bytes;
	threads = now.threads_ns - last->threads_ns;
	most = samples * SAMPLE_MOST_NS + bytes;
	use = (struct sampling_use){
		.elapsed_ns = now.at_ns - last->at_ns,
		.taken_ns = samples * (source->tick_ns + SAMPLE_NS) + bytes / BYTES_EACH_NS +
			    (threads < most ? threads : most),
	};
	use.sampled_ns = rate > 0 && events ? (uint64_t)((double)samples * 1e9 / rate)
					    : use.elapsed_ns;
	if (!last->at_ns) { /* what came before sampling is not accounted */
		*last = now;
		return 0;
	}
	*last = now;
	if (!events || !sampling_budget_update(&source->budget, &use))
		return 0;
	if (!source->rate.changed)
		source->rate.now = source->rate.opened;
	source->rate.before = source->rate.now;
	source->rate.now = source->budget.slow;
	source->rate.changed = true;
	if (perf_source_slow_down(source, err))
		return err->code;
	for (size_t i = 0; i < source->forward_count; i++) /* what is there has the rate before */
		source->ring[i].changed_at =
			__atomic_load_n(&source->ring[i].page->data_head, __ATOMIC_ACQUIRE);
	return 0;
}
