/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values that were counted: what came since the look before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/tool/value_rows.h"
#include "event/event.h"

static void look(struct value_rows *rows, const struct probe_value *value, size_t count,
		 bool cumulative)
{
	const struct event event = { .type = EVENT_OWN, .own = { value, count * sizeof(*value) } };

	value_rows_take(rows, &event, cumulative);
}

static void test_value_rows__are_what_came_since_the_look_before(void **state)
{
	struct probe_value value[2] = { { .count = 3, .total = 30 }, { .count = 1, .total = 7 } };
	struct value_rows rows = { 0 };

	(void)state;
	value[1].result.value[0] = 9;
	look(&rows, value, 1, false);
	assert_int_equal(rows.fresh.count, 1);
	assert_int_equal(rows.fresh.item[0].count, 3);
	value[0].count = 5;
	value[0].total = 34;
	look(&rows, value, 2, false);
	assert_int_equal(rows.fresh.count, 2);
	assert_int_equal(rows.fresh.item[0].count, 2);
	assert_int_equal(rows.fresh.item[0].total, 4);
	assert_int_equal(rows.fresh.item[1].count, 1);
	look(&rows, value, 2, false);
	assert_int_equal(rows.fresh.count, 0);
	look(&rows, value, 2, true);
	assert_int_equal(rows.fresh.count, 2);
	assert_int_equal(rows.fresh.item[0].count, 5);
	value_rows_done(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value_rows__are_what_came_since_the_look_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
