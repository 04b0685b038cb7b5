/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/latency/latency_map: lengths get their rows, times their columns, and the picture says what
 * is in a cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/latency/latency_map.h"

static const struct latency_map_options waits = { .title = "<Waits>",
						  .thing = "waits",
						  .unit_ns = 1000 };

static void test_row__is_the_power_of_two(void **state)
{
	(void)state;
	assert_int_equal(latency_map_row(0), 0);
	assert_int_equal(latency_map_row(1), 0);
	assert_int_equal(latency_map_row(2), 1);
	assert_int_equal(latency_map_row(1023), 9);
	assert_int_equal(latency_map_row(UINT64_MAX), 63);
}

static void test_add__keeps_what_is_out_of_range(void **state)
{
	struct latency_map map = { .start_ns = 100, .column_ns = 10 };

	(void)state;
	latency_map_add(&map, 0, 1, 2);
	latency_map_add(&map, 125, 1000, 1);
	latency_map_add(&map, UINT64_MAX, 0, 1);
	assert_int_equal(map.count.item[1], 2);
	assert_int_equal(map.count.item[2 * LATENCY_MAP_ROWS + LATENCY_MAP_ROWS - 1], 1);
	assert_int_equal(map.count.item[map.count.count - LATENCY_MAP_ROWS], 1);
	latency_map_done(&map);
}

static void test_svg__shows_the_contents_of_a_cell(void **state)
{
	struct latency_map map = { .column_ns = 1000000000 };
	struct buf out = { 0 };

	(void)state;
	latency_map_add(&map, 0, 3, 7);
	latency_map_add(&map, 2000000000, 11, 1);
	latency_map_svg(&map, &waits, &out);
	assert_non_null(strstr(out.data, "&lt;Waits&gt;"));
	assert_non_null(strstr(out.data, "<title>0.00 s: 7 waits of 8.0 us to 16 us</title>"));
	assert_non_null(strstr(out.data, "<title>2.00 s: 1 waits of 2.0 ms to 4.1 ms</title>"));
	assert_non_null(strstr(out.data, "8 waits; darkest: 7 in 1 s"));
	buf_done(&out);
	latency_map_done(&map);
}

static void test_svg__of_nothing(void **state)
{
	struct latency_map map = { .column_ns = 1000000000 };
	struct buf out = { 0 };

	(void)state;
	latency_map_svg(&map, &waits, &out);
	assert_non_null(strstr(out.data, "0 waits"));
	assert_non_null(strstr(out.data, "</svg>"));
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row__is_the_power_of_two),
		cmocka_unit_test(test_add__keeps_what_is_out_of_range),
		cmocka_unit_test(test_svg__shows_the_contents_of_a_cell),
		cmocka_unit_test(test_svg__of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
