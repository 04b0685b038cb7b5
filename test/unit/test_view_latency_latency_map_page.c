/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/latency/latency_map_page: a page for maps of times, of numbers and of nothing. Its data are
 * read by test/web/timeline.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "view/latency/latency_map.h"

static void check(const struct latency_map *map, const struct latency_map_options *options)
{
	struct buf out = { 0 };
	struct err err;

	assert_int_equal(latency_map_html(map, options, &out, &err), 0);
	assert_non_null(
		strstr(out.data, "<title>&lt;Waits&gt; \xc2\xb7 latency heat map \xc2\xb7 "));
	assert_non_null(strstr(out.data, "id=\"latency-data\""));
	assert_non_null(strstr(out.data, "Content-Security-Policy"));
	buf_done(&out);
}

static void test_page(void **state)
{
	struct latency_map_options options = { .title = "<Waits>", .thing = "waits" };
	struct latency_map map = { .column_ns = 1000000 };

	(void)state;
	options.unit_ns = 1000;
	check(&map, &options);
	latency_map_add(&map, 5000000, 3, 7);
	latency_map_add(&map, 0, LATENCY_MAP_ROWS - 1, 1);
	check(&map, &options);
	options.unit_ns = 0;
	options.number = "threads";
	check(&map, &options);
	latency_map_done(&map);
}

static void test_row_names(void **state)
{
	struct latency_map_options times = { .unit_ns = 1000 }, numbers = { .number = "threads" };
	struct buf out = { 0 };

	(void)state;
	latency_map_put_row(&times, 3, &out);
	assert_string_equal(out.data, "8.0 us to 16 us");
	buf_clear(&out);
	latency_map_put_row(&numbers, 3, &out);
	assert_string_equal(out.data, "3 threads");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_row_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
