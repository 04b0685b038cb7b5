/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/perf_event/tick_cost: an interrupt takes some time, and not for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/perf_event/tick_cost.h"

static void test_tick_cost__is_within_reason(void **state)
{
	uint64_t ns = tick_cost_measure_ns();

	(void)state;
	assert_in_range(ns, 500, 40000);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tick_cost__is_within_reason) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
