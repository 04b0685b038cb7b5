/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/syscall/syscall_compat: calls of 32-bit programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/syscall/syscall_args.h"
#include "source/syscall/syscall_structs.h"
#include "source/syscall/syscall_table.h"

static void test_signatures__of_32_bit_programs(void **state)
{
	size_t found = 0;

	(void)state;
	assert_non_null(syscall_compat_signature("_llseek")); /* the first and the last row */
	assert_non_null(syscall_compat_signature("waitpid"));
	assert_null(syscall_compat_signature("openat"));
#ifdef __x86_64__
	assert_int_equal(syscall_signature_of(SYSCALL_COMPAT_BIT | 162)->arg[0],
			 ARG_COMPAT_TIMESPEC);
	assert_int_equal(syscall_signature_of(SYSCALL_COMPAT_BIT | 295)->arg[1], ARG_PATH);
	for (uint32_t call = 0; call < SYSCALL_NUMBERS; call++) {
		const char *name = syscall_name(call | SYSCALL_COMPAT_BIT);

		found += name && syscall_compat_signature(name);
	}
	assert_true(found > 80);
#endif
	(void)found;
}

static void test_structs__are_complete(void **state)
{
	(void)state;
	for (int kind = ARG_COMPAT; kind < ARG_FLAGS; kind++)
		assert_true(syscall_compat_struct((enum syscall_arg)kind)->count);
	assert_int_equal(syscall_struct(ARG_COMPAT_STAT64)->size, 96);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signatures__of_32_bit_programs),
		cmocka_unit_test(test_structs__are_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
