/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of variables: of this process, of a program's file, and numbers. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/data/watch_address.h"

uint64_t watched_words[4] = { 1 };

static void test_watch_address__of_this_process(void **state)
{
	struct watch_address at;
	struct err err = { 0 };
	char number[32];

	(void)state;
	assert_int_equal(watch_address_of_process("watched_words+8", getpid(), &at, &err), 0);
	assert_int_equal(at.address, (uintptr_t)&watched_words[1]);
	assert_int_equal(at.size, 24);
	assert_int_equal(watch_address_of_process("no_such_word", getpid(), &at, &err), -ENOENT);
	(void)snprintf(number, sizeof(number), "%#" PRIxPTR "+8", (uintptr_t)watched_words);
	assert_int_equal(watch_address_of_process(number, getpid(), &at, &err), 0);
	assert_int_equal(at.address, (uintptr_t)&watched_words[1]);
	assert_int_equal(watch_address_of_process("0x1000+8", getpid(), &at, &err), -EFAULT);
}

static void test_watch_address__of_a_file(void **state)
{
	struct watch_address at;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(watch_address_of_program("watched_words", "/proc/self/exe", &at, &err), 0);
	assert_int_equal(at.size, 32);
	assert_true(at.address);
	assert_true(watch_address_of_program("x", "/no/such/file", &at, &err) < 0);
}

static void test_watch_address__text_is_checked(void **state)
{
	static const char *const wrong[] = { "", "0", "12x", "1+", "name+", "name+x", "+8" };
	struct watch_address at;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = { 0 };

		assert_int_equal(watch_address_of_process(wrong[i], getpid(), &at, &err), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watch_address__of_this_process),
		cmocka_unit_test(test_watch_address__of_a_file),
		cmocka_unit_test(test_watch_address__text_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
