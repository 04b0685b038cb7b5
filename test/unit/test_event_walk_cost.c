/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event/walk_cost: counts by name, and times out of the kernel part's buckets. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bpf/cpu.h"
#include "event/walk_cost.h"

static void test_walk_cost__counts_have_names(void **state)
{
	struct walk_cost cost = { 0 };

	(void)state;
	assert_false(walk_cost_any(&cost));
	assert_true(walk_count_set(&cost, "handed_up", 5));
	assert_false(walk_count_set(&cost, "by_time", 5));
	assert_int_equal(5, cost.handed_up);
	assert_true(walk_cost_any(&cost));
	assert_int_equal(0, walk_count_get(&cost, &walk_counts[0]));
	assert_int_equal(5, walk_count_get(&cost, &walk_counts[1]));
}

static void test_walk_cost__adds(void **state)
{
	struct walk_cost cost = { .walked = 1, .rate_changes = 2, .by_time[3] = 4 };
	const struct walk_cost other = { .rate_changes = 5, .believed = 6, .by_time[3] = 7 };

	(void)state;
	walk_cost_add(&cost, &other);
	assert_int_equal(1, cost.walked);
	assert_int_equal(7, cost.rate_changes);
	assert_int_equal(6, cost.believed);
	assert_int_equal(11, cost.by_time[3]);
}

/* The kernel part's numbering. */
static void test_walk_cost__buckets_hold_their_times(void **state)
{
	(void)state;
	static_assert(CPU_COST_BUCKETS == WALK_COST_BUCKETS, "same buckets");
	for (uint64_t ns = 0; ns < 100000; ns++) {
		size_t bucket = cpu_cost_bucket(ns);

		assert_true(walk_cost_bucket_ns(bucket) <= ns);
		assert_true(walk_cost_bucket_ns(bucket + 1) > ns);
	}
	for (unsigned bit = 4; bit < 64; bit++) {
		uint64_t ns = 1ull << bit;

		assert_true(walk_cost_bucket_ns(cpu_cost_bucket(ns)) == ns);
		assert_true(cpu_cost_bucket(ns - 1) + 1 == cpu_cost_bucket(ns));
	}
	assert_int_equal(CPU_COST_BUCKETS - 1, cpu_cost_bucket(UINT64_MAX));
}

static void test_walk_cost__quantiles(void **state)
{
	struct walk_cost cost = { 0 };

	(void)state;
	assert_int_equal(0, walk_cost_quantile_ns(&cost, 500));
	cost.by_time[cpu_cost_bucket(1000)] = 98;
	cost.by_time[cpu_cost_bucket(5000)] = 2;
	assert_int_equal(1023, walk_cost_quantile_ns(&cost, 500));
	assert_int_equal(1023, walk_cost_quantile_ns(&cost, 980));
	assert_int_equal(5119, walk_cost_quantile_ns(&cost, 990));
	assert_int_equal(5119, walk_cost_quantile_ns(&cost, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk_cost__counts_have_names),
		cmocka_unit_test(test_walk_cost__adds),
		cmocka_unit_test(test_walk_cost__buckets_hold_their_times),
		cmocka_unit_test(test_walk_cost__quantiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
