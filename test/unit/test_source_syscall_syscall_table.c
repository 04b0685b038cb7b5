/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/syscall/syscall_table: names of calls and errors, and classes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/syscall.h>

#include "source/syscall/syscall_table.h"

static void test_names__are_those_of_this_machine(void **state)
{
	char label[SYSCALL_NAME_SIZE];

	(void)state;
	assert_string_equal(syscall_name(SYS_read), "read");
	assert_string_equal(syscall_name(SYS_openat), "openat");
	assert_string_equal(syscall_name(SYS_exit_group), "exit_group");
	assert_string_equal(syscall_name(462), "mseal"); /* the same everywhere */
	assert_null(syscall_name(SYSCALL_NUMBERS - 1));
	assert_string_equal(syscall_label(SYS_read, label), "read");
	assert_string_equal(syscall_label(999, label), "syscall_999");
	assert_string_equal(syscall_label(0x7fffffff, label), "syscall_-1");
	assert_string_equal(syscall_label(UINT32_MAX, label), "syscall_-1 (32-bit)");
	assert_string_equal(syscall_label(SYSCALL_X32_BIT | 1000, label), "syscall_1000 (x32)");
}

static void test_classes__have_known_members_only(void **state)
{
	enum syscall_class class;

	(void)state;
	assert_int_equal(syscall_classes("openat"),
			 1u << SYSCALL_CLASS_FILE | 1u << SYSCALL_CLASS_DESC);
	assert_int_equal(syscall_classes("open"), syscall_classes("openat"));
	assert_int_equal(syscall_classes("futex"), 0);
	assert_int_equal(syscall_classes("rea"), 0);
	assert_true(syscall_class_find("network", &class));
	assert_int_equal(class, SYSCALL_CLASS_NET);
	assert_string_equal(syscall_class_name(SYSCALL_CLASS_IPC), "ipc");
	assert_false(syscall_class_find("files", &class));
}

static void test_errors__have_names(void **state)
{
	(void)state;
	assert_string_equal(syscall_error_name(ENOENT), "ENOENT");
	assert_string_equal(syscall_error_name(512), "ERESTARTSYS");
	assert_null(syscall_error_name(4000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names__are_those_of_this_machine),
		cmocka_unit_test(test_classes__have_known_members_only),
		cmocka_unit_test(test_errors__have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
