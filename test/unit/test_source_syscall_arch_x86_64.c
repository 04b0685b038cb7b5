/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/syscall/arch/x86_64: numbers of this CPU's ways of calling the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/syscall/syscall_table.h"

static void test_names__of_other_abis_are_marked(void **state)
{
	char label[SYSCALL_NAME_SIZE];

	(void)state;
	assert_string_equal(syscall_label(3 | SYSCALL_COMPAT_BIT, label), "read (32-bit)");
	assert_string_equal(syscall_label(20 | SYSCALL_COMPAT_BIT, label), "getpid (32-bit)");
	assert_string_equal(syscall_label(39 | SYSCALL_X32_BIT, label), "getpid (x32)");
	assert_string_equal(syscall_label(900 | SYSCALL_COMPAT_BIT, label), "syscall_900 (32-bit)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names__of_other_abis_are_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
