/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/sched/sched_plan: the numbers and names of payloads, also of those that are too short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "session/sched/sched_plan.h"

/* prev_pid 7, next_pid -2, prev_state 2^32 + 1; then a name */
static const uint8_t bytes[] = {
	7, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0, 1, 0, 0, 0, 'a', 0
};

static struct sched_plan make_plan(void)
{
	struct sched_plan plan = { .is = TRACEPOINT_SWITCH, .numbers = 3 };

	plan.field[SWITCH_PREV] = (struct trace_field){ .offset = 0, .size = 4, .is_signed = true };
	plan.field[SWITCH_NEXT] = (struct trace_field){ .offset = 4, .size = 4, .is_signed = true };
	plan.field[SWITCH_STATE] = (struct trace_field){ .offset = 8, .size = 8 };
	plan.field[SWITCH_PREV_COMM] = (struct trace_field){ .offset = 16, .size = 2 };
	plan.has[SWITCH_PREV] = plan.has[SWITCH_NEXT] = plan.has[SWITCH_STATE] = true;
	plan.has[SWITCH_PREV_COMM] = true;
	return plan;
}

static void test_numbers(void **state)
{
	struct sched_plan plan = make_plan();
	struct sched_sample sample = { .plan = &plan, .payload = { bytes, sizeof(bytes) } };

	(void)state;
	assert_true(sched_sample_numbers(&sample));
	assert_int_equal(sample.number[SWITCH_PREV], 7);
	assert_int_equal(sample.number[SWITCH_NEXT], -2);
	assert_true(sample.number[SWITCH_STATE] == ((int64_t)1 << 32) + 1);
}

static void test_payload_too_short(void **state)
{
	struct sched_plan plan = make_plan();
	struct sched_sample sample = { .plan = &plan, .payload = { bytes, 10 } };

	(void)state;
	assert_true(sched_sample_numbers(&sample)); /* both threads are there */
	assert_int_equal(sample.number[SWITCH_NEXT], -2);
	assert_int_equal(sample.number[SWITCH_STATE], 0);
	sample.payload.len = 7;
	assert_false(sched_sample_numbers(&sample));
	sample.payload = (struct trace_payload){ 0 };
	assert_false(sched_sample_numbers(&sample));
}

static void test_text(void **state)
{
	struct sched_plan plan = make_plan();
	struct trace_payload payload = { bytes, sizeof(bytes) };
	const char *text;
	size_t len;

	(void)state;
	assert_true(sched_sample_text(&plan, payload, SWITCH_PREV_COMM, &text, &len));
	assert_int_equal(len, 1);
	assert_false(sched_sample_text(&plan, payload, SWITCH_NEXT_COMM, &text, &len));
	payload.len = 17;
	assert_false(sched_sample_text(&plan, payload, SWITCH_PREV_COMM, &text, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_payload_too_short),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
