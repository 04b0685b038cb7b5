/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of sparklines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/sparkline.h"

static void test_sparkline__levels(void **state)
{
	const double values[] = { 0, 0.01, 4, 8, 9, NAN };
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		sparkline_put(values[i], 8, &out);
	sparkline_put(1, 0, &out);
	assert_string_equal(out.data, " ▁▄██· ");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sparkline__levels) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
