/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data reading: any bytes, mapped and through a pipe; everything an event points at is read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_header_text.h"
#include "format/trace/trace_print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libtraceevent loses memory on formats it gives up on. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

struct toucher {
	struct sink sink;
	struct trace_print *trace;
	uint64_t sum;
};

static void touch(struct toucher *t, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		t->sum += ((const uint8_t *)bytes)[i];
}

static void touch_string(struct toucher *t, const char *s)
{
	touch(t, s, strlen(s));
}

static void touch_regs(struct toucher *t, const uint64_t *regs, uint64_t mask)
{
	touch(t, regs, regs ? 8 * (size_t)__builtin_popcountll(mask) : 0);
}

static void touch_sample(struct toucher *t, const struct event_sample *s)
{
	touch(t, s->chain, s->chain_len * sizeof(*s->chain));
	touch(t, s->raw, s->raw_len);
	touch(t, s->stack, s->stack_len);
	touch(t, s->read, s->read_len);
	touch(t, s->branch, s->branch_len * sizeof(*s->branch));
	touch_regs(t, s->user_regs, s->user_mask);
	touch_regs(t, s->intr_regs, s->intr_mask);
}

static void print_payload(struct toucher *t, const struct event *event)
{
	struct buf text = { .limit = 1 << 20 };

	(void)trace_print_names(t->trace, event->desc, &text);
	(void)trace_print_event(t->trace, event, &text);
	buf_done(&text);
}

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct toucher *t = (struct toucher *)sink;

	(void)err;
	if (event->raw)
		touch(t, event->raw, event->raw->size);
	switch (event->type) {
	case EVENT_SAMPLE:
		touch_sample(t, &event->sample);
		print_payload(t, event);
		break;
	case EVENT_MMAP:
		touch_string(t, event->mmap.path);
		break;
	case EVENT_COMM:
		touch_string(t, event->comm.name);
		break;
	case EVENT_CGROUP:
		touch_string(t, event->cgroup.path);
		break;
	case EVENT_KSYMBOL:
		touch_string(t, event->ksymbol.name);
		break;
	case EVENT_NAMESPACES:
		touch(t, event->namespaces.item,
		      event->namespaces.count * sizeof(*event->namespaces.item));
		break;
	case EVENT_READ:
		touch(t, event->read.values, event->read.len);
		break;
	default:
		break;
	}
	return 0;
}

static int on_build_id(void *context, const struct event *event)
{
	touch_string(context, event->build_id.path);
	return 0;
}

static void run(struct input *input)
{
	struct toucher toucher = { .sink = { .event = on_event } };
	struct perf_data *data;
	struct err err = { 0 };
	struct buf text = { .limit = 1 << 20 };

	if (perf_data_open(input, &data, &err))
		return;
	(void)perf_data_header_text(data, true, &text);
	(void)perf_data_socket(data, 0);
	(void)perf_data_socket(data, perf_data_header(data)->cpus_available - 1);
	(void)perf_data_build_ids(data, on_build_id, &toucher);
	toucher.trace = trace_print_new(data);
	(void)perf_data_read(data, &toucher.sink, &err);
	trace_print_free(toucher.trace);
	buf_done(&text);
	perf_data_close(data);
}

static void run_pipe(const uint8_t *data, size_t size)
{
	struct input *input;
	struct err err = { 0 };
	char path[32];
	int fd[2];

	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
		return;
	if (write(fd[1], data, size) == (ssize_t)size) {
		(void)close(fd[1]);
		fd[1] = -1;
		(void)snprintf(path, sizeof(path), "/dev/fd/%d", fd[0]);
		if (!input_open(path, &input, &err)) {
			run(input);
			input_close(input);
		}
	}
	(void)close(fd[0]);
	if (fd[1] >= 0)
		(void)close(fd[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *input = input_memory(data, size);

	run(input);
	input_close(input);
	run_pipe(data, size);
	return 0;
}
