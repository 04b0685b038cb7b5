/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scheduler recordings: any bytes, mapped and through a pipe, to events of the scheduler;
 * everything these point at is read. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "profile/sched/sched_lanes.h"
#include "session/sched/sched_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libtraceevent loses memory on formats it gives up on. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

struct toucher {
	struct sched_sink sink;
	struct sched_lanes lanes;
	uint64_t sum;
};

static void touch(struct toucher *t, const struct sched_task *task)
{
	t->sum += task->index + task->pid + strlen(task->comm);
}

static void on_event(struct sched_sink *sink, const struct sched_event *event)
{
	struct toucher *t = (struct toucher *)sink;

	t->sum = t->sum * 31 + event->time_ns + event->cpu;
	if (event->kind == SCHED_LOST) {
		sched_lanes_forget(&t->lanes);
		return;
	}
	touch(t, event->current);
	if (event->kind == SCHED_STEP) {
		sched_lanes_take(&t->lanes, event);
		return;
	}
	if (event->kind == SCHED_SWITCH) {
		touch(t, event->leave.next);
		t->sum += strlen(event->leave.next_comm) + (uint8_t)event->leave.state;
		t->sum += event->leave.chain ? strlen(event->leave.chain) : 0;
	} else {
		touch(t, event->wakeup.task); /* in the same place for all */
	}
}

static uint64_t read_all(struct input *input, uint32_t max_stack)
{
	struct sched_options options = { .max_stack = max_stack,
					 .next_names = true,
					 .steps = true };
	struct toucher t = { .sink.event = on_event };
	struct err err = { 0 };
	struct sched_trace *trace;
	struct perf_data *recording;

	options.symbol.symfs = "/proc/nonexistent";
	options.symbol.kallsyms_path = "/dev/null";
	if (perf_data_open(input, &recording, &err))
		return 0;
	trace = sched_trace_new(recording);
	(void)sched_trace_read(trace, &options, &t.sink, &err);
	t.sum += sched_trace_faults(trace)->malformed;
	sched_lanes_finish(&t.lanes, UINT64_MAX);
	t.sum += t.lanes.span.count + t.lanes.unpaired;
	sched_lanes_done(&t.lanes);
	sched_trace_free(trace);
	perf_data_close(recording);
	return t.sum;
}

static void read_piped(const uint8_t *data, size_t size)
{
	struct input *input;
	struct err err = { 0 };
	char path[64];
	int end[2];

	if (size > 65536 || pipe(end))
		return;
	if (write(end[1], data, size) != (ssize_t)size)
		__builtin_trap();
	(void)close(end[1]);
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", end[0]);
	if (!input_open(path, &input, &err)) {
		(void)read_all(input, 0);
		input_close(input);
	}
	(void)close(end[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *input = input_memory(data, size);
	uint64_t sum = read_all(input, 0);

	if (read_all(input, 0) != sum) /* whichever thread was faster */
		__builtin_trap();
	(void)read_all(input, 3);
	input_close(input);
	read_piped(data, size);
	return 0;
}
