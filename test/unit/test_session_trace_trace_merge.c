/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_merge: calls and events in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "event/syscall.h"
#include "session/trace/trace_merge.h"
#include "session/trace/trace_stack.h"

static char order[20];

static int see_line(void *context, const struct syscall_line *line, struct err *err)
{
	(void)context;
	(void)err;
	assert_string_equal((const char *)(line + 1), "copy");
	order[strlen(order)] = (char)('0' + line->call);
	return 0;
}

static int see_event(void *context, const struct trace_event *event, struct err *err)
{
	(void)context;
	(void)err;
	assert_string_equal(event->comm, "ls");
	assert_string_equal(event->text, "x");
	order[strlen(order)] = event->name[0];
	return 0;
}

static void add_line(struct trace_merge *merge, uint32_t call, uint64_t start_ns, uint64_t ns)
{
	struct {
		struct syscall_line line;
		char data[8];
	} call_line = { .line = { .start_ns = start_ns, .ns = ns, .call = call }, .data = "copy" };

	memset(call_line.line.copied, 0xff, sizeof(call_line.line.copied));
	call_line.line.copied[0] = 5;
	trace_merge_line(merge, &call_line.line);
}

static void add_event(struct trace_merge *merge, const char *name, uint64_t time_ns)
{
	const struct trace_event event = {
		.time_ns = time_ns, .comm = "ls", .name = name, .text = "x"
	};

	trace_merge_event(merge, &event);
}

static void test_merge__is_by_the_end_of_calls(void **state)
{
	const struct trace_samples_options to = { see_line, see_event, NULL };
	struct trace_merge *merge = trace_merge_new();
	struct err err = { 0 };

	(void)state;
	add_line(merge, 1, 10, 100);
	add_line(merge, 2, 20, 5);
	add_event(merge, "a", 15);
	add_event(merge, "b", 25);
	add_event(merge, "c", 110);
	add_event(merge, "d", 500);
	assert_int_equal(trace_merge_give(merge, 200, &to, &err), 0);
	assert_string_equal(order, "a2b1c");
	add_event(merge, "e", 100); /* late */
	assert_int_equal(trace_merge_give(merge, UINT64_MAX, &to, &err), 0);
	assert_string_equal(order, "a2b1ced");
	add_event(merge, "f", 1);
	add_line(merge, 3, 1, 1);
	trace_merge_free(merge); /* with both in it */
}

static char stacks[20];

static void see_stack(void *context, const struct trace_stack *stack)
{
	(void)context;
	stacks[strlen(stacks)] = stack ? (char)('0' + stack->frame.count) : '-';
}

static void begin(struct trace_merge *merge, uint64_t time_ns, size_t frames)
{
	struct trace_stack *stack = mem_zalloc(sizeof(*stack));

	for (size_t i = 0; i < frames; i++)
		vec_push(&stack->frame, (struct trace_stack_frame){ 0 });
	trace_merge_begin(merge, 0, time_ns, stack);
}

static void test_merge__gives_calls_their_stacks(void **state)
{
	const struct trace_samples_options to = { .line = see_line, .stack = see_stack };
	struct trace_merge *merge = trace_merge_new();
	struct err err = { 0 };

	(void)state;
	begin(merge, 12, 1); /* a little later than the call */
	add_line(merge, 1, 10, 100);
	assert_int_equal(trace_merge_give(merge, 50, &to, &err), 0);
	begin(merge, 120, 2); /* a call without a line */
	begin(merge, 130, 3);
	add_line(merge, 1, 130, 10);
	add_line(merge, 1, 150, 10); /* its stack was lost */
	assert_int_equal(trace_merge_give(merge, UINT64_MAX, &to, &err), 0);
	assert_string_equal(stacks, "13-");
	begin(merge, 200, 1);
	assert_int_equal(trace_merge_give(merge, UINT64_MAX, &to, &err), 0);
	begin(merge, 201, 1);
	trace_merge_free(merge); /* with both in it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge__is_by_the_end_of_calls),
		cmocka_unit_test(test_merge__gives_calls_their_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
