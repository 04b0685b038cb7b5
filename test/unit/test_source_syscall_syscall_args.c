/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/syscall/syscall_args: signatures, and what the kernel part copies for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "source/syscall/syscall_args.h"
#include "source/syscall/syscall_table.h"

static void test_signatures__are_found(void **state)
{
	(void)state;
	/* the first and the last row, which the search needs in order */
	assert_non_null(syscall_signature("accept"));
	assert_non_null(syscall_signature("writev"));
	assert_int_equal(syscall_signature("openat")->arg[2], ARG_OPEN);
	assert_int_equal(syscall_signature("openat")->result, ARG_FD);
	assert_int_equal(syscall_signature("getpid")->arg[0], ARG_END);
	assert_null(syscall_signature("stat64"));
}

static void test_signatures__of_known_calls_only(void **state)
{
	size_t found = 0;

	(void)state;
	for (uint32_t call = 0; call < SYSCALL_NUMBERS; call++)
		found += syscall_name(call) && syscall_signature(syscall_name(call));
	assert_true(found > 100);
}

static void test_counts__of_arguments(void **state)
{
	size_t known = 0, calls = 0;

	(void)state;
	assert_int_equal(syscall_arg_count(SYS_openat), 4);
	assert_int_equal(syscall_arg_count(SYS_setitimer), 3);
	assert_int_equal(syscall_arg_count(SYS_restart_syscall), 0);
	assert_int_equal(syscall_arg_count(SYS_add_key), 5); /* the first and the last row */
	assert_int_equal(syscall_arg_count(SYS_vmsplice), 4);
	assert_int_equal(syscall_arg_count(SYSCALL_NUMBERS - 1), 6);
	for (uint32_t call = 0; call < SYSCALL_NUMBERS; call++) {
		calls += syscall_name(call) != NULL;
		known += syscall_name(call) && syscall_arg_count(call);
	}
	assert_true(known + 40 > calls); /* the rest has none */
#ifdef __x86_64__
	assert_int_equal(syscall_arg_count(SYSCALL_X32_BIT | SYS_setitimer), 3);
	assert_int_equal(syscall_arg_count(SYSCALL_COMPAT_BIT | 180), 5); /* pread64 */
	assert_int_equal(syscall_arg_count(SYSCALL_COMPAT_BIT | 20), 0);  /* getpid */
#endif
}

static void test_copies__are_by_kind(void **state)
{
	static uint16_t all[SYSCALL_ABIS][SYSCALL_NUMBERS][SYSCALL_ARGS];
	const uint16_t(*copies)[SYSCALL_ARGS] = (const void *)all[SYSCALL_NATIVE];

	(void)state;
	syscall_args_copies(all);
	assert_int_equal(copies[SYS_openat][0], 0);
	assert_int_equal(copies[SYS_openat][1], SYSCALL_COPY_INPUT | SYSCALL_COPY_STRING);
	assert_int_equal(copies[SYS_write][1], SYSCALL_COPY_INPUT | SYSCALL_COPY_BY_NEXT | 1);
	assert_int_equal(copies[SYS_read][1], SYSCALL_COPY_BY_RESULT | 1);
	assert_int_equal(copies[SYS_nanosleep][0], SYSCALL_COPY_INPUT | SYSCALL_COPY_FIXED | 16);
	assert_int_equal(copies[SYS_clock_gettime][1], SYSCALL_COPY_FIXED | 16);
	assert_int_equal(copies[SYS_getpid][0], 0);
	assert_int_equal(copies[SYSCALL_NUMBERS - 1][0], 0);
#ifdef __x86_64__
	copies = (const void *)all[SYSCALL_COMPAT];
	assert_int_equal(copies[5][0], SYSCALL_COPY_INPUT | SYSCALL_COPY_STRING); /* open */
	assert_int_equal(copies[162][0], SYSCALL_COPY_INPUT | SYSCALL_COPY_FIXED | 8);
	assert_int_equal(copies[195][1], SYSCALL_COPY_FIXED | 96); /* stat64 */
#endif
}

static void test_names__of_all_arguments(void **state)
{
	const char *name;

	(void)state;
	assert_int_equal(syscall_arg_name("openat", 1, &name), strlen("filename"));
	assert_memory_equal(name, "filename", strlen("filename"));
	assert_int_equal(syscall_arg_name("openat", 4, &name), 0);
	assert_int_equal(syscall_arg_name("getpid", 0, &name), 0);
	assert_int_equal(syscall_arg_name("op", 0, &name), 0);
	for (uint32_t call = 0; call < SYSCALL_NUMBERS; call++) {
		const char *of = syscall_name(call);

		for (size_t i = 0; of && syscall_signature(of) && i < syscall_arg_count(call); i++)
			assert_true(syscall_arg_name(of, i, &name) > 0);
		if (of && syscall_signature(of) && syscall_arg_count(call) < SYSCALL_ARGS)
			assert_int_equal(syscall_arg_name(of, syscall_arg_count(call), &name), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signatures__are_found),
		cmocka_unit_test(test_signatures__of_known_calls_only),
		cmocka_unit_test(test_counts__of_arguments),
		cmocka_unit_test(test_copies__are_by_kind),
		cmocka_unit_test(test_names__of_all_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
