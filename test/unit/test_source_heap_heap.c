/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sampled block stands for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/heap/heap_choice.h"

static void test_heap_weight__sizes(void **state)
{
	(void)state;
	assert_int_equal(heap_weight(100, 0), 100); /* every block is sampled */
	assert_int_equal(heap_weight(0, 0), 0);
	assert_int_equal(heap_weight(0, 1000), 0);
	assert_int_equal(heap_weight(16, 1 << 20), (1 << 20) + 8); /* rate + size / 2 */
	assert_int_equal(heap_weight(1000, 1000), 1582);	   /* 1000 / (1 - 1/e) */
	assert_int_equal(heap_weight(1 << 30, 1000), 1 << 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_heap_weight__sizes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
