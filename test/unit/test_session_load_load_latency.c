/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/load/load_latency: who runs is known by switches, samples and ends of threads. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"
#include "session/load/load_latency.h"

static void apply(struct load_latency *latency, enum event_type type, uint32_t tid, bool out)
{
	struct event event = { .type = type, .pid = tid, .tid = tid };

	if (type == EVENT_SWITCH)
		event.sched.out = out;
	load_latency_apply(latency, &event);
}

static uint64_t weight(struct load_latency *latency, uint32_t tid, uint64_t period)
{
	const struct event event = {
		.type = EVENT_SAMPLE, .pid = tid, .tid = tid, .sample.period = period
	};

	return load_latency_weight(latency, &event);
}

static void test_latency__is_divided_by_who_runs(void **state)
{
	struct load_latency *latency = load_latency_new();
	const struct event_set none = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(load_latency_check(latency, &none, "it", &err), -ENODATA);
	assert_int_equal(weight(latency, 1, 1000), 1000);
	apply(latency, EVENT_SWITCH, 2, false);
	assert_int_equal(load_latency_check(latency, &none, "it", &err), 0);
	apply(latency, EVENT_SWITCH, 0, false); /* idle */
	assert_int_equal(weight(latency, 1, 1000), 500);
	assert_int_equal(weight(latency, 3, 900), 300); /* its switch was lost */
	apply(latency, EVENT_SWITCH, 3, true);
	apply(latency, EVENT_SWITCH, 3, true); /* twice is once */
	assert_int_equal(weight(latency, 2, UINT64_MAX - 1), UINT64_MAX / 2);
	apply(latency, EVENT_EXIT, 2, false);
	assert_int_equal(weight(latency, 1, 1000), 1000);
	load_latency_free(latency);
	load_latency_free(NULL);
}

static void test_latency__sums_up_for_small_weights(void **state)
{
	struct load_latency *latency = load_latency_new();
	uint64_t sum = 0;

	(void)state;
	apply(latency, EVENT_SWITCH, 1, false);
	apply(latency, EVENT_SWITCH, 2, false);
	apply(latency, EVENT_SWITCH, 3, false);
	for (int i = 0; i < 3000; i++)
		sum += weight(latency, 1, 1);
	assert_in_range(sum, 999, 1000);
	load_latency_free(latency);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_latency__is_divided_by_who_runs),
		cmocka_unit_test(test_latency__sums_up_for_small_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
