/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See bpf_cpu_tee.h. */
#include "source/bpf/bpf_cpu_tee.h"

#include <string.h>

#include "base/buf.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/perf_record.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_sample_stacks.h"
#include "source/perf_event/perf_event.h"

/* A round is over when the samples are read too. */
static int tee_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct bpf_cpu *self = (struct bpf_cpu *)((char *)sink - offsetof(struct bpf_cpu, tee));

	return event->type == EVENT_ROUND ? 0 : self->to->event(self->to, event, err);
}

/* The event of a sample in a ring, when that is not to go on as it is. */
static const struct perf_selected *diverted(const struct bpf_cpu *self,
					    const struct perf_event_header *header)
{
	const struct perf_source *rings = (const struct perf_source *)self->rings;
	const struct event_desc *desc = perf_record_sample_desc(self->rings->events, header);

	for (size_t i = 0; i < rings->selected_count; i++)
		if (rings->selected[i].desc == desc &&
		    (rings->selected[i].by_bpf || rings->selected[i].walked))
			return &rings->selected[i];
	return NULL;
}

/* As the kernel writes it, without a stack. */
static int deliver_missed(struct bpf_cpu *self, const struct event_desc *desc,
			  const struct perf_event_header *header, struct err *err)
{
	const uint64_t *body = (const uint64_t *)(const void *)(header + 1);
	const struct perf_record_plan *plan = &desc->plan;
	struct event event = { .type = EVENT_SAMPLE, .misc = header->misc, .desc = desc };
	uint32_t ids[2];

	memcpy(ids, body + plan->tid, sizeof(ids));
	event.pid = ids[0];
	event.tid = ids[1];
	event.id = plan->identifier >= 0 ? body[plan->identifier] : 0;
	event.cpu = plan->cpu >= 0 ? (uint32_t)body[plan->cpu] : 0;
	event.has_time = plan->time >= 0;
	event.time_ns = event.has_time ? body[plan->time] : 0;
	event.sample.ip = body[plan->ip];
	event.sample.period = plan->period >= 0 ? body[plan->period] : desc->attr.sample_period;
	return self->to->event(self->to, &event, err);
}

/* The next sample that is diverted; *at moves behind it. NULL = there are none. */
static const struct perf_event_header *next_diverted(const struct bpf_cpu *self, size_t *at,
						     const struct perf_selected **ret)
{
	while (*at + sizeof(struct perf_event_header) <= self->span.len) {
		const struct perf_event_header *header = (const void *)(self->span.data + *at);

		if (header->size < sizeof(*header) || header->size > self->span.len - *at)
			break;
		*at += header->size;
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		*ret = diverted(self, header);
		if (*ret)
			return header;
	}
	*at = self->span.len;
	return NULL;
}

static int pass_on(struct bpf_cpu *self, int cpu, const void *data, size_t len, struct err *err)
{
	const struct record_span span = { .cpu = cpu, .data = { data, data }, .len = { len, 0 } };

	return len ? self->to->records(self->to, &span, err) : 0;
}

/* Samples that wait for their stacks leave the stream here. So do those that the program should
 * have taken: if a process forks while its events are opened, the child's event may have no program
 * yet, and its samples arrive through perf's ring. */
static int tee_records(struct sink *sink, const struct record_span *span, struct err *err)
{
	struct bpf_cpu *self = (struct bpf_cpu *)((char *)sink - offsetof(struct bpf_cpu, tee));
	const struct perf_event_header *header;
	const struct perf_selected *selected;
	size_t from = 0, at = 0;
	int code = 0;

	if (!((const struct perf_source *)self->rings)->target.attach && !self->walked)
		return self->to->records(self->to, span, err);
	buf_clear(&self->span);
	(void)buf_append(&self->span, span->data[0], span->len[0]); /* no limit */
	(void)buf_append(&self->span, span->data[1], span->len[1]);
	while (!code && (header = next_diverted(self, &at, &selected))) {
		code = pass_on(self, span->cpu, self->span.data + from, at - header->size - from,
			       err);
		if (!code && selected->walked)
			sample_stacks_take(self->walked, header);
		else if (!code)
			code = deliver_missed(self, selected->desc, header, err);
		from = at;
	}
	return code ? code
		    : pass_on(self, span->cpu, self->span.data + from, self->span.len - from, err);
}

void bpf_cpu_open_tee(struct bpf_cpu *self)
{
	self->tee = (struct sink){ .event = tee_event, .records = tee_records };
}
