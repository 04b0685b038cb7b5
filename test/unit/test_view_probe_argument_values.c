// SPDX-License-Identifier: GPL-2.0-or-later
/* view/probe: values as BCC's argdist prints them, and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/probe/argument_values.h"

static void test_values__frequencies(void **state)
{
	struct argument_row rows[] = { { "x = 1", 0, 5 }, { "x = 2", 0, 70 }, { "x = 3", 0, 1 } };
	struct argument_values values = { .label = "calls", .row = rows, .rows = 3 };
	struct buf out = { 0 };

	(void)state;
	argument_values_text(&values, &out);
	assert_string_equal(out.data, "calls\n\tCOUNT      EVENT\n\t1          x = 3\n"
				      "\t5          x = 1\n\t70         x = 2\n");
	buf_clear(&out);
	values.top = 1;
	argument_values_json(&values, &out);
	assert_string_equal(
		out.data, "{\"label\":\"calls\",\"values\":[{\"value\":\"x = 2\",\"count\":70}]}");
	buf_done(&out);
}

static void test_values__histogram(void **state)
{
	struct argument_row rows[] = { { "", 2, 4 }, { "", 0, 1 }, { "", 2, 4 } };
	struct argument_values values = {
		.label = "sizes", .expression = "size", .histogram = true, .row = rows, .rows = 3
	};
	struct buf out = { 0 };

	(void)state;
	argument_values_text(&values, &out);
	assert_string_equal(
		out.data,
		"sizes\n     size                : count     distribution\n"
		"         0 -> 1          : 1        |*****                                   |\n"
		"         2 -> 3          : 0        |                                        |\n"
		"         4 -> 7          : 8        |****************************************|\n");
	buf_clear(&out);
	argument_values_json(&values, &out);
	assert_string_equal(out.data, "{\"label\":\"sizes\",\"histogram\":["
				      "{\"from\":0,\"to\":1,\"count\":1},"
				      "{\"from\":4,\"to\":7,\"count\":8}]}");
	buf_clear(&out);
	rows[0].slot = 63;
	argument_values_text(&values, &out);
	assert_non_null(strstr(out.data, "9223372036854775808 -> 18446744073709551615 : 4 "));
	buf_done(&out);
}

static void test_values__histogram_of_negative_numbers(void **state)
{
	struct argument_row rows[] = { { "", 64, 2 }, { "", 66, 1 }, { "", 0, 4 }, { "", 1, 4 } };
	struct argument_values values = { .label = "results",
					  .expression = "retval",
					  .histogram = true,
					  .row = rows,
					  .rows = 4 };
	struct buf out = { 0 };

	(void)state;
	argument_values_text(&values, &out);
	assert_string_equal(
		out.data,
		"results\n     retval              : count     distribution\n"
		"        -7 -> -4         : 1        |**********                              |\n"
		"        -3 -> -2         : 0        |                                        |\n"
		"        -1 -> -1         : 2        |********************                    |\n"
		"         0 -> 1          : 4        |****************************************|\n"
		"         2 -> 3          : 4        |****************************************|\n");
	buf_clear(&out);
	values.rows = 2; /* none at all is positive */
	argument_values_json(&values, &out);
	assert_string_equal(out.data, "{\"label\":\"results\",\"histogram\":["
				      "{\"from\":-7,\"to\":-4,\"count\":1},"
				      "{\"from\":-1,\"to\":-1,\"count\":2}]}");
	buf_clear(&out);
	rows[0].slot = 64 + 63; /* the lowest number */
	values.rows = 1;
	argument_values_text(&values, &out);
	assert_non_null(strstr(out.data, "-9223372036854775808 -> -9223372036854775808 : 2 "));
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values__frequencies),
		cmocka_unit_test(test_values__histogram),
		cmocka_unit_test(test_values__histogram_of_negative_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
