/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/bpf_sample_stacks and bpf_walker: samples of a tracepoint come out of the bpf_cpu
 * source with their data and with user frames, and without copies of stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/stop.h"
#include "source/bpf/bpf_cpu_tee.h"
#include "source/bpf/bpf_sample_stacks.h"
#include "source/bpf/bpf_walker.h"
#include "source/source.h"

#define NAPS 20

struct hits {
	struct sink sink; /* first */
	unsigned count, with_data, with_stack, sent_up;
};

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct hits *hits = (struct hits *)sink;
	const struct event_sample *sample = &event->sample;

	(void)err;
	if (event->type != EVENT_SAMPLE)
		return 0;
	hits->count++;
	hits->with_data += sample->raw_len > 0;
	/* The tables are empty here, so user space is asked to unwind. */
	hits->sent_up += sample->user_regs && sample->stack_len;
	hits->with_stack += stack_stop_get(sample->chain, sample->chain_len) != STACK_STOP_NONE;
	return 0;
}

static int on_records(struct sink *sink, const struct record_span *span, struct err *err)
{
	(void)sink;
	(void)span;
	(void)err;
	return 0;
}

static void test_sample_stacks__of_a_tracepoint(void **state)
{
	struct source_options options = {
		.switchable = true,
		.call_graph = { .given = true, .mode = RECORDING_CALL_GRAPH_BPF },
	};
	const struct record_selector selector = { .text = "syscalls:sys_enter_getppid" };
	struct hits hits = { .sink = { .event = on_event, .records = on_records } };
	struct source *source;
	struct err err = { 0 };
	char pid[16];
	int code;

	(void)state;
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	options.pids = pid;
	vec_push(&options.selector, selector);
	code = source_find("bpf_cpu")->open(&source, &options, &err);
	if (code) {
		vec_done(&options.selector);
		print_message("no BPF programs here: %s\n", err.msg);
		skip();
	}
	assert_false(source->events->desc.item[0]->attr.sample_type & PERF_SAMPLE_STACK_USER);
	assert_int_equal(0, source->ops->start(source, &err));
	assert_int_equal(0, source_enable(source, true, &err));
	for (int i = 0; i < NAPS; i++) {
		(void)getppid();
		assert_true(source_ready(source, &hits.sink, &err) >= 0);
	}
	assert_int_equal(0, source->ops->stop(source, &hits.sink, &err));
	source_close(source);
	vec_done(&options.selector);
	assert_int_equal(NAPS, hits.count);
	assert_int_equal(NAPS, hits.with_data);
	assert_int_equal(NAPS, hits.with_stack + hits.sent_up);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample_stacks__of_a_tracepoint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
