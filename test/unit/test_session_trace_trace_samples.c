/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_samples: what samples are for the tracer. Calls of
 * tracepoints are in test/command/trace_record.bats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "session/replay.h"
#include "session/trace/trace_read.h"
#include "session/trace/trace_samples.h"

static char seen[300];

static int see_event(void *context, const struct trace_event *event, struct err *err)
{
	(void)context;
	(void)err;
	(void)snprintf(seen, sizeof(seen), "%u %s %s %s", event->tid, event->comm, event->name,
		       event->text);
	return 0;
}

static void test_samples__of_faults_have_places(void **state)
{
	const struct trace_samples_options options = { .event = see_event };
	const struct event map = { .type = EVENT_MMAP,
				   .pid = 7,
				   .mmap = { .start = 0x5000,
					     .len = 0x1000,
					     .pgoff = 0x2000,
					     .prot = PROT_READ | PROT_WRITE,
					     .path = "/lib/x" } };
	struct event_desc desc = { .name = "major-faults",
				   .attr = { .type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_PAGE_FAULTS_MAJ } };
	struct event event = { .type = EVENT_SAMPLE,
			       .pid = 7,
			       .tid = 8,
			       .desc = &desc,
			       .sample = { .addr = 0x5010 } };
	const struct thread thread = { .pid = 7, .tid = 8, .comm = "x" };
	struct symbol symbol = { .start = 0x100, .count = 1, .frame = { { .name = "f" } } };
	struct replay_sample sample = {
		.event = &event,
		.thread = &thread,
		.ip = { .pc = 0x4110, .offset = 0x110, .symbol = &symbol }
	};
	struct trace_samples *samples = trace_samples_new(&options, NULL);
	struct replay_handler *handler = trace_samples_handler(samples);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(handler->other(handler, &map, &thread, &err), 0);
	assert_int_equal(handler->sample(handler, &sample, &err), 0);
	assert_string_equal(seen, "8 x majfault [f+0x10] => /lib/x@0x2010 (rw)");
	event.sample.addr = 0x9000;
	sample.ip.symbol = NULL;
	assert_int_equal(handler->sample(handler, &sample, &err), 0);
	assert_string_equal(seen, "8 x majfault [0x4110] => 0x9000");
	trace_samples_free(samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples__of_faults_have_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
