/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/syscall/syscall_structs: tables of fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/syscall/syscall_structs.h"

static void test_structs__have_fields_within_what_is_copied(void **state)
{
	size_t structs = 0;

	(void)state;
	for (int kind = 0; kind < ARG_COUNT; kind++) {
		const struct syscall_struct *table = syscall_struct((enum syscall_arg)kind);

		if (!table)
			continue;
		structs++;
		assert_true(table->count && table->size <= SYSCALL_COPY_MAX);
		for (size_t i = 0; i < table->count; i++) {
			const struct syscall_field *field = &table->field[i];

			assert_true(field->size && field->offset + field->size <= table->size);
			assert_true(field->format == FORMAT_TEXT || field->format == FORMAT_KIND ||
				    field->size <= 8);
		}
	}
	assert_true(structs > 15);
	assert_null(syscall_struct(ARG_OPEN));
	assert_null(syscall_struct(ARG_SIGSET));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structs__have_fields_within_what_is_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
