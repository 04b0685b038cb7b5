/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/io: which system calls are I/O; the source needs a sampler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/io/io_choice.h"
#include "source/source.h"
#include "source/syscall/syscall_table.h"

static void test_roles__are_by_name(void **state)
{
	struct io_role roles[SYSCALL_NUMBERS];
	unsigned found = 0;

	(void)state;
	io_roles(roles);
	for (size_t i = 0; i < syscall_numbers[SYSCALL_NATIVE].count; i++) {
		const char *name = syscall_numbers[SYSCALL_NATIVE].name[i];

		if (!name)
			continue;
		if (strcmp(name, "pread64") == 0) {
			assert_int_equal(roles[i].operation_plus_one, IO_READ + 1);
			assert_int_equal(roles[i].fd, 1);
			assert_int_equal(roles[i].offset, 4);
			found++;
		}
		if (strcmp(name, "getpid") == 0) {
			assert_int_equal(roles[i].operation_plus_one, 0);
			found++;
		}
	}
	assert_int_equal(found, 2);
}

static void test_source__needs_a_sampler(void **state)
{
	const struct source_options options = { 0 };
	const struct source_ops *ops = source_find("io");
	struct source *source;
	struct err err = { 0 };

	(void)state;
	assert_non_null(ops);
	assert_true(ops->open(&source, &options, &err) < 0);
	assert_string_equal(err.msg, "I/O: no CPU sampler to work for");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roles__are_by_name),
		cmocka_unit_test(test_source__needs_a_sampler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
