/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/function_times: sums, order and distributions; view/ftrace: their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/function_times.h"
#include "view/function_times_view.h"

static void test_times__are_summed_and_sorted(void **state)
{
	struct function_times times;
	struct function_times_view view = { 0 };
	struct buf text = { 0 };

	(void)state;
	function_times_init(&times);
	function_times_add(&times, "small", 5, 3000);
	function_times_add(&times, "often", 5, 1000);
	function_times_add(&times, "often", 5, 2500);
	assert_int_equal(times.item.count, 2);
	function_times_sort(&times, FUNCTION_TIMES_TOTAL);
	assert_string_equal(times.item.item[0].name, "often");
	assert_int_equal(times.item.item[0].total_ns, 3500);
	function_times_sort(&times, FUNCTION_TIMES_AVERAGE);
	assert_string_equal(times.item.item[0].name, "small");
	function_times_sort(&times, FUNCTION_TIMES_MAXIMUM);
	assert_string_equal(times.item.item[0].name, "small");
	function_times_sort(&times, FUNCTION_TIMES_COUNT);
	assert_string_equal(times.item.item[0].name, "often");
	function_times_text(&times, &text);
	assert_string_equal(text.data, "# Total (us)   Avg (us)   Max (us)      Count   Function\n"
				       "       3.500      1.750      2.500          2   often\n"
				       "       3.000      3.000      3.000          1   small\n");
	buf_clear(&text);
	function_times_json(&times, &view, &text);
	assert_non_null(strstr(text.data, "{\"name\":\"often\",\"count\":2,\"total_ns\":3500"));
	buf_done(&text);
	function_times_done(&times);
}

static void test_latency__in_powers_of_two(void **state)
{
	struct latency_counts counts = { .unit_ns = 1000 };
	struct function_times_view view = { .hide_empty = true };
	struct buf text = { 0 };

	(void)state;
	latency_counts_add(&counts, 999);
	latency_counts_add(&counts, 1000);
	latency_counts_add(&counts, 3999);
	latency_counts_add(&counts, 5000000000);
	assert_int_equal(counts.bucket[0], 1);
	assert_int_equal(counts.bucket[1], 1);
	assert_int_equal(counts.bucket[2], 1);
	assert_int_equal(counts.bucket[LATENCY_BUCKETS - 1], 1);
	assert_int_equal(counts.min_ns, 999);
	latency_counts_text(&counts, &view, &text);
	assert_non_null(strstr(text.data, "\n     2 -    4 us |          1 | ###########  "));
	assert_non_null(strstr(text.data, "\n     1 - ...  s  |          1 | ###########  "));
	assert_non_null(strstr(text.data, "       count:                    4\n"));
	buf_done(&text);
}

static void test_latency__in_steps(void **state)
{
	struct latency_counts counts = { .unit_ns = 1, .step = 10, .minimum = 100, .maximum = 150 };

	(void)state;
	latency_counts_add(&counts, 99);
	latency_counts_add(&counts, 100);
	latency_counts_add(&counts, 119);
	latency_counts_add(&counts, 150);
	assert_int_equal(counts.bucket[0], 1);
	assert_int_equal(counts.bucket[1], 1);
	assert_int_equal(counts.bucket[2], 1);
	assert_int_equal(counts.bucket[LATENCY_BUCKETS - 1], 1);
	assert_int_equal(latency_counts_start(&counts, 2), 110);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times__are_summed_and_sorted),
		cmocka_unit_test(test_latency__in_powers_of_two),
		cmocka_unit_test(test_latency__in_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
