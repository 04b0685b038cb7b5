/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_stack: user frames by name, as text and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proc/module.h"
#include "session/replay.h"
#include "session/trace/trace_stack.h"

static void test_stack__has_user_frames(void **state)
{
	const struct module module = { .path = "/lib/a\nb.so" };
	struct symbol symbol = {
		.count = 2, .frame = { { .name = "in", .inlined = true }, { .name = "out" } }
	};
	const struct replay_frame frame[] = {
		{ .pc = 1, .kernel = true, .symbol = &symbol },
		{ .pc = 2, .module = &module, .symbol = &symbol },
		{ .pc = 3, .module = &module },
	};
	const struct replay_sample sample = { .frame = frame, .count = 3, .stop = STACK_STOP_ROOT };
	struct trace_stack *stack = trace_stack_new(&sample, 0), *copy = trace_stack_copy(stack);
	struct buf out = { 0 };

	(void)state;
	trace_stack_free(stack);
	trace_stack_text(copy, &out);
	assert_null(strstr(out.data, "[reached"));
	assert_non_null(strstr(out.data,
			       "             in (a?b.so, inlined)\n             out (a?b.so)\n"
			       "             [unknown] (a?b.so)\n"));
	buf_clear(&out);
	trace_stack_json(copy, &out);
	assert_string_equal(
		out.data,
		"\"stack\":[{\"function\":\"in\",\"module\":\"a\\u000ab.so\",\"inlined\":true},"
		"{\"function\":\"out\",\"module\":\"a\\u000ab.so\"},"
		"{\"function\":\"[unknown]\",\"module\":\"a\\u000ab.so\"}],\"stopped\":\"root\"");
	trace_stack_free(copy);
	buf_clear(&out);
	stack = trace_stack_new(&sample, 1);
	trace_stack_text(stack, &out);
	assert_string_equal(out.data, "             in (a?b.so, inlined)\n"
				      "             [longer than the frame limit]\n");
	trace_stack_free(stack);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack__has_user_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
