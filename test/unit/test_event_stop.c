/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event/stop: reasons at the ends of call chains. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/stop.h"

#define USER   ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)

static void test_stop__every_reason_comes_back(void **state)
{
	(void)state;
	for (unsigned stop = 0; stop < STACK_STOP_COUNT; stop++) {
		uint64_t chain[3 + STACK_STOP_WORDS] = { USER, 0x1000, 0x2000 };
		size_t len = 3 + stack_stop_put((enum stack_stop)stop, chain + 3);

		assert_true(len <= 3 + STACK_STOP_WORDS);
		assert_int_equal(stop, stack_stop_get(chain, len));
	}
}

static void test_stop__reached_root_takes_one_word(void **state)
{
	uint64_t word;

	(void)state;
	assert_int_equal(1, stack_stop_put(STACK_STOP_ROOT, &word));
	assert_true(word == USER);
	assert_int_equal(0, stack_stop_put(STACK_STOP_NONE, &word));
}

static void test_stop__without_a_user_address(void **state)
{
	uint64_t chain[2 + STACK_STOP_WORDS] = { KERNEL, 0xffffffff81000000 };
	size_t len = 2 + stack_stop_put(STACK_STOP_NOT_TAKEN, chain + 2);

	(void)state;
	assert_int_equal(STACK_STOP_NOT_TAKEN, stack_stop_get(chain, len));
	assert_int_equal(STACK_STOP_NOT_TAKEN, stack_stop_get(chain + 2, len - 2));
}

static void test_stop__other_chains_say_nothing(void **state)
{
	const uint64_t plain[] = { KERNEL, 0xffffffff81000000, USER, 0x1000 };
	const uint64_t cut[] = { KERNEL, 0xffffffff81000000, USER };
	const uint64_t markers[] = { USER, USER };
	const uint64_t odd[] = { USER, 0x1000, USER, KERNEL };
	const uint64_t unknown[] = { USER, 0x1000, USER, USER, USER, USER, USER, USER };

	(void)state;
	assert_int_equal(STACK_STOP_NONE, stack_stop_get(plain, 4));
	assert_int_equal(STACK_STOP_NONE, stack_stop_get(cut, 3)); /* the kernel had no room */
	assert_int_equal(STACK_STOP_NONE, stack_stop_get(markers, 2));
	assert_int_equal(STACK_STOP_NONE, stack_stop_get(odd, 4));
	assert_int_equal(STACK_STOP_NONE, stack_stop_get(unknown, 8));
	assert_int_equal(STACK_STOP_NONE, stack_stop_get(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stop__every_reason_comes_back),
		cmocka_unit_test(test_stop__reached_root_takes_one_word),
		cmocka_unit_test(test_stop__without_a_user_address),
		cmocka_unit_test(test_stop__other_chains_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
