/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/syscall/syscall_choice: which calls lists mean. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/syscall.h>

#include "base/err.h"
#include "source/syscall/syscall_choice.h"

static struct syscall_choice choose(const char *first, const char *second)
{
	struct syscall_choice choice = { 0 };
	struct err err = { 0 };

	syscall_choice_all(&choice);
	if (first)
		assert_int_equal(syscall_choice_add(&choice, first, &err), 0);
	if (second)
		assert_int_equal(syscall_choice_add(&choice, second, &err), 0);
	return choice;
}

static size_t count(const struct syscall_choice *choice)
{
	size_t count = 0;

	for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
		count += choice->wanted[SYSCALL_NATIVE][i];
	return count;
}

static void test_choice__takes_names_and_numbers(void **state)
{
	struct syscall_choice choice = choose(NULL, NULL);

	(void)state;
	assert_int_equal(count(&choice), SYSCALL_NUMBERS);
	assert_true(choice.unknown);
	choice = choose("openat,read", NULL);
	assert_int_equal(count(&choice), 2);
	assert_true(choice.wanted[SYSCALL_NATIVE][SYS_read]);
	assert_false(choice.unknown);
	choice = choose("trace=read", "39");
	assert_int_equal(count(&choice), 2);
	assert_true(choice.wanted[SYSCALL_NATIVE][39]);
}

static void test_choice__takes_globs_and_classes(void **state)
{
	struct syscall_choice choice = choose("epoll_c*", NULL);

	(void)state;
	assert_true(choice.wanted[SYSCALL_NATIVE][SYS_epoll_ctl]);
	assert_false(choice.wanted[SYSCALL_NATIVE][SYS_epoll_pwait]);
	choice = choose("%net", NULL);
	assert_true(choice.wanted[SYSCALL_NATIVE][SYS_socket]);
	assert_false(choice.wanted[SYSCALL_NATIVE][SYS_read]);
}

static void test_choice__of_all_others(void **state)
{
	struct syscall_choice choice = choose("!futex,read", NULL);

	(void)state;
	assert_int_equal(count(&choice), SYSCALL_NUMBERS - 2);
	assert_true(choice.unknown);
	choice = choose("%file", "!openat");
	assert_false(choice.wanted[SYSCALL_NATIVE][SYS_openat]);
	assert_true(choice.wanted[SYSCALL_NATIVE][SYS_statx]);
	assert_false(choice.wanted[SYSCALL_NATIVE][SYS_read]);
}

static void test_choice__refuses_what_is_no_call(void **state)
{
	static const char *const bad[] = { "opennat", "", "read,", "%fil", "99999", "!", "zz*" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct syscall_choice choice = { 0 };
		struct err err = { 0 };

		assert_int_equal(syscall_choice_add(&choice, bad[i], &err), -EINVAL);
		assert_non_null(strstr(err.msg, "no such system call"));
		if (i == 0)
			assert_non_null(strstr(err.hint, "openat"));
	}
}

static void test_choice__accepts_lines(void **state)
{
	static struct syscall_choice choice;
	struct syscall_line line = { .call = SYS_openat, .ns = 5000, .result = -2 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(syscall_choice_add(&choice, "openat", &err), 0);
	assert_true(syscall_choice_accepts(&choice, &line));
	choice.min_ns = 5000;
	choice.only_errors = true;
	assert_true(syscall_choice_accepts(&choice, &line));
	line.ns--;
	assert_false(syscall_choice_accepts(&choice, &line));
	line.ns++;
	line.result = 0;
	assert_false(syscall_choice_accepts(&choice, &line));
	choice.only_errors = false;
	line.call = SYS_read;
	assert_false(syscall_choice_accepts(&choice, &line));
	line.call = 5000;
	assert_false(syscall_choice_accepts(&choice, &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice__takes_names_and_numbers),
		cmocka_unit_test(test_choice__takes_globs_and_classes),
		cmocka_unit_test(test_choice__of_all_others),
		cmocka_unit_test(test_choice__refuses_what_is_no_call),
		cmocka_unit_test(test_choice__accepts_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
