/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans of threads' lives (see sched_spans.h). A thread that is met first when it leaves a CPU had
 * it since the recording began, or since that CPU was given away last. */
#include "profile/sched/sched_spans.h"

#include <string.h>

#define MAX_CPUS 65535

/* Functions that identify the reason of a wait; the first known one on the chain decides. */
static const struct {
	const char *prefix;
	uint8_t doing;
} signs[] = {
	{ "futex_", SCHED_DOING_LOCK },
	{ "__futex_", SCHED_DOING_LOCK },
	{ "rwsem_", SCHED_DOING_LOCK },
	{ "__mutex_lock", SCHED_DOING_LOCK },
	{ "io_schedule", SCHED_DOING_DISK },
	{ "bit_wait_io", SCHED_DOING_DISK },
	{ "folio_wait", SCHED_DOING_DISK },
	{ "jbd2_log_wait", SCHED_DOING_DISK },
	{ "submit_bio_wait", SCHED_DOING_DISK },
	{ "blk_", SCHED_DOING_DISK },
	{ "pipe_", SCHED_DOING_PIPE },
	{ "anon_pipe_", SCHED_DOING_PIPE },
	{ "do_wait", SCHED_DOING_CHILD },
	{ "do_nanosleep", SCHED_DOING_TIMER },
	{ "hrtimer_nanosleep", SCHED_DOING_TIMER },
	{ "do_epoll", SCHED_DOING_POLL },
	{ "ep_poll", SCHED_DOING_POLL },
	{ "do_poll", SCHED_DOING_POLL },
	{ "do_sys_poll", SCHED_DOING_POLL },
	{ "poll_schedule", SCHED_DOING_POLL },
	{ "do_select", SCHED_DOING_POLL },
	{ "n_tty_read", SCHED_DOING_TERMINAL },
	{ "sk_wait_data", SCHED_DOING_NET },
	{ "sk_stream_wait", SCHED_DOING_NET },
	{ "__skb_wait", SCHED_DOING_NET },
	{ "unix_", SCHED_DOING_NET },
	{ "inet_", SCHED_DOING_NET },
	{ "tcp_", SCHED_DOING_NET },
	{ "do_signal_stop", SCHED_DOING_STOPPED },
};

static const char *const texts[] = {
#define X(name, text) text,
	SCHED_DOINGS(X)
#undef X
};

const char *sched_doing_text(enum sched_doing doing)
{
	return texts[doing];
}

/* Of "f <- g <- h". */
static uint8_t doing_of_chain(const char *chain, uint8_t otherwise)
{
	for (const char *name = chain; name; name = strstr(name, " <- ")) {
		name += name == chain ? 0 : 4;
		for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
			if (strncmp(name, signs[i].prefix, strlen(signs[i].prefix)) == 0)
				return signs[i].doing;
	}
	return otherwise;
}

/* A futex may be none. */
static bool is_lock(const char *lock)
{
	return lock && strncmp(lock, "[lock ", 6) == 0;
}

static uint8_t doing_of(const struct sched_event *event)
{
	if (event->leave.state != 'R' && is_lock(event->leave.lock))
		return SCHED_DOING_LOCK;
	switch (event->leave.state) {
	case 'R':
		return SCHED_DOING_PREEMPTED;
	case 'D':
		return doing_of_chain(event->leave.chain, SCHED_DOING_UNINTERRUPTIBLE);
	case 'T':
	case 't':
		return SCHED_DOING_STOPPED;
	default:
		return doing_of_chain(event->leave.chain, SCHED_DOING_SLEEPING);
	}
}

static struct sched_present *present_of(struct sched_spans *spans, const struct sched_task *task)
{
	struct sched_present *present;

	while (spans->present.count <= task->index)
		vec_push(&spans->present, (struct sched_present){ 0 });
	present = &spans->present.item[task->index];
	present->task = task;
	return present;
}

static void end_span(struct sched_spans *spans, const struct sched_present *present,
		     uint64_t now_ns)
{
	struct sched_span span = { .start_ns = present->since_ns,
				   .end_ns = now_ns,
				   .task = present->task->index,
				   .cpu = present->cpu,
				   .doing = present->doing,
				   .lock = present->lock };

	if (span.start_ns && span.start_ns < now_ns)
		vec_push(&spans->span, span);
}

static void begin_span(struct sched_present *present, uint8_t doing, uint64_t now_ns)
{
	present->doing = doing;
	present->since_ns = now_ns;
	present->lock = NULL;
}

/* If the event is missing with which a thread left this CPU, the start of its absence is unknown:
 * that part of its life is omitted. */
static void take_cpu(struct sched_spans *spans, const struct sched_event *event, uint32_t cpu)
{
	uint32_t *running;

	while (spans->running.count <= cpu)
		vec_push(&spans->running, 0);
	running = &spans->running.item[cpu];
	if (*running && *running != event->current->index + 1)
		spans->present.item[*running - 1].since_ns = 0;
	*running = sched_is_idle(event->leave.next) ? 0 : event->leave.next->index + 1;
}

static void on_switch(struct sched_spans *spans, const struct sched_event *event, uint32_t cpu)
{
	bool first = spans->running.count <= cpu;

	take_cpu(spans, event, cpu);
	if (!sched_is_idle(event->current)) {
		struct sched_present *present = present_of(spans, event->current);

		if (!present->since_ns && first) /* it had the CPU when the recording began */
			begin_span(present, SCHED_DOING_RUNNING, spans->first_ns);
		if (present->doing != SCHED_DOING_RUNNING) /* an event is missing */
			begin_span(present, SCHED_DOING_RUNNING, 0);
		present->cpu = (uint16_t)cpu;
		end_span(spans, present, event->time_ns);
		begin_span(present, doing_of(event), event->time_ns);
		present->lock = event->leave.lock;
		if (event->leave.state == 'X' || event->leave.state == 'Z')
			present->since_ns = 0; /* it is gone */
	}
	if (!sched_is_idle(event->leave.next)) {
		struct sched_present *present = present_of(spans, event->leave.next);

		end_span(spans, present, event->time_ns);
		begin_span(present, SCHED_DOING_RUNNING, event->time_ns);
		present->cpu = (uint16_t)cpu;
	}
}

static void on_wakeup(struct sched_spans *spans, const struct sched_event *event)
{
	struct sched_present *present = present_of(spans, event->wakeup.task);

	if (sched_is_idle(event->wakeup.task) ||
	    (present->since_ns && present->doing <= SCHED_DOING_PREEMPTED))
		return;
	end_span(spans, present, event->time_ns);
	begin_span(present, SCHED_DOING_WOKEN, event->time_ns);
}

static void on_step(struct sched_spans *spans, const struct sched_event *event)
{
	if (event->step.lane == SCHED_LANE_CALLS)
		(void)present_of(spans, event->current);
	sched_lanes_take(&spans->lanes, event);
}

static void on_event(struct sched_sink *sink, const struct sched_event *event)
{
	struct sched_spans *spans = (struct sched_spans *)sink;
	uint32_t cpu = event->cpu < MAX_CPUS ? event->cpu : MAX_CPUS - 1;

	if (!spans->first_ns)
		spans->first_ns = event->time_ns;
	spans->last_ns = event->time_ns;
	if (event->kind == SCHED_STEP) {
		on_step(spans, event);
		return;
	}
	if (event->kind == SCHED_LOST) {
		spans->lost += event->lost;
		sched_lanes_forget(&spans->lanes);
	} else if (cpu >= spans->cpus) {
		spans->cpus = cpu + 1;
	}
	if (event->kind == SCHED_SWITCH)
		on_switch(spans, event, cpu);
	else if (event->kind == SCHED_WAKEUP)
		on_wakeup(spans, event);
}

void sched_spans_init(struct sched_spans *spans)
{
	*spans = (struct sched_spans){ .sink.event = on_event };
}

void sched_spans_finish(struct sched_spans *spans)
{
	for (size_t i = 0; i < spans->present.count; i++) {
		struct sched_present *present = &spans->present.item[i];

		if (present->task)
			end_span(spans, present, spans->last_ns);
	}
	sched_lanes_finish(&spans->lanes, spans->last_ns);
}

void sched_spans_done(struct sched_spans *spans)
{
	vec_done(&spans->span);
	vec_done(&spans->present);
	vec_done(&spans->running);
	sched_lanes_done(&spans->lanes);
}
