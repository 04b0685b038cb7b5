/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_reader: the child answers for a thread that cannot be read, and its end has a
 * reason. Events and stacks are in test/live/trace_stacks.sh and trace_asleep.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/byte_queue.h"
#include "base/err.h"
#include "bpf/syscall_place.h"
#include "event/syscall.h"
#include "session/trace/trace_merge.h"
#include "session/trace/trace_reader.h"
#include "session/trace/trace_stack.h"

struct seen {
	unsigned stacks, lines;
	enum stack_stop stop;
};

static void take_stack(void *context, const struct trace_stack *stack)
{
	struct seen *seen = context;

	assert_non_null(stack);
	seen->stacks++;
	seen->stop = stack->stop;
}

static int take_line(void *context, const struct syscall_line *line, struct err *err)
{
	(void)line;
	(void)err;
	((struct seen *)context)->lines++;
	return 0;
}

static void test_reader__answers_and_ends(void **state)
{
	const struct {
		struct syscall_line line;
		struct syscall_place place;
	} found = { .line = { .tid = 0x7fffffff, .tgid = 0x7fffffff, .start_ns = 5, .place = 1 },
		    .place = { .sp = 4096 } };
	struct trace_reader_options options = { .stacks = true, .merge = trace_merge_new() };
	struct trace_samples_options to = { .line = take_line, .stack = take_stack };
	struct syscall_line line = { .tid = 0x7fffffff, .start_ns = 5, .ns = 1 };
	struct trace_reader *reader;
	struct seen seen = { 0 };
	struct err err = { 0 };

	(void)state;
	to.context = &seen;
	for (size_t i = 0; i < SYSCALL_ARGS; i++)
		line.copied[i] = SYSCALL_COPY_NONE;
	assert_int_equal(trace_reader_start(&options, &reader, &err), 0);
	trace_reader_flush(reader);
	trace_reader_asleep(reader, &found.line);
	trace_merge_line(options.merge, &line);
	assert_int_equal(trace_merge_give(options.merge, 10, &to, &err), 0);
	assert_int_equal(seen.lines, 1);
	assert_int_equal(seen.stacks, 1);
	assert_int_equal(seen.stop, STACK_STOP_READ_FAULT);
	assert_int_equal(byte_queue_put(trace_reader_queue(reader), "no recording", 12), 0);
	assert_int_not_equal(trace_reader_join(reader, &err), 0);
	assert_non_null(strstr(err.msg, "the events"));
	trace_reader_free(reader);
	trace_reader_free(NULL);
	trace_merge_free(options.merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reader__answers_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
