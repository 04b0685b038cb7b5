/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_asleep: a thread that cannot be read has a stack that says so. Stacks of
 * sleeping threads are in test/live/trace_asleep.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bpf/syscall_place.h"
#include "event/syscall.h"
#include "session/trace/trace_asleep.h"
#include "session/trace/trace_stack.h"

static void test_asleep__of_a_process_that_is_gone(void **state)
{
	const struct {
		struct syscall_line line;
		struct syscall_place place;
	} found = { .line = { .tid = 0x7fffffff, .tgid = 0x7fffffff, .place = 1 },
		    .place = { .sp = 4096 } };
	struct trace_asleep *asleep = trace_asleep_new();
	static struct trace_asleep_thread thread;
	struct trace_stack *stack;

	(void)state;
	trace_asleep_read(&found.line, &thread);
	assert_int_equal(thread.stack_len, 0);
	assert_int_equal(thread.tid, 0x7fffffff);
	stack = trace_asleep_stack(asleep, &thread, 0);
	assert_int_equal(stack->frame.count, 0);
	assert_int_equal(stack->stop, STACK_STOP_READ_FAULT);
	trace_stack_free(stack);
	trace_asleep_free(asleep);
	trace_asleep_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asleep__of_a_process_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
