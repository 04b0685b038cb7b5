/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record_held: records in order of time, those of the same time as they came. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/record/record_held.h"

static void hold(struct record_held *held, uint32_t type, uint64_t time_ns)
{
	const struct perf_event_header header = { .type = type, .size = sizeof(header) };

	record_held_add(held, &header, time_ns);
}

static void test_record_held__is_in_order_of_time(void **state)
{
	struct record_held held = { 0 };

	(void)state;
	hold(&held, 1, 30);
	hold(&held, 2, 10);
	hold(&held, 3, 20);
	hold(&held, 4, 20);
	record_held_sort(&held);
	assert_int_equal(2, record_held_get(&held, 0)->type);
	assert_int_equal(3, record_held_get(&held, 1)->type);
	assert_int_equal(4, record_held_get(&held, 2)->type);
	assert_int_equal(1, record_held_get(&held, 3)->type);
	record_held_drop(&held, 2);
	hold(&held, 5, 20);
	record_held_sort(&held);
	assert_int_equal(3, held.item.count);
	assert_int_equal(4, record_held_get(&held, 0)->type);
	assert_int_equal(5, record_held_get(&held, 1)->type);
	record_held_drop(&held, 3);
	assert_int_equal(0, held.bytes.len);
	record_held_sort(&held);
	record_held_done(&held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_held__is_in_order_of_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
