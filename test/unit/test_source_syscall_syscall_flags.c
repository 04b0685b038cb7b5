/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/syscall/syscall_flags: every kind of constant has names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "source/syscall/syscall_args.h"

static void test_flags__have_a_set_for_each_kind(void **state)
{
	(void)state;
	assert_null(syscall_flags(ARG_INT));
	for (int arg = ARG_FLAGS; arg < ARG_COUNT; arg++) {
		const struct syscall_flag_set *set = syscall_flags((enum syscall_arg)arg);

		assert_non_null(set);
		assert_true(set->count > 0);
		for (size_t i = 0; i < set->count; i++)
			assert_true(set->flag[i].name[0] &&
				    (set->flag[i].value || set->flag[i].mask));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags__have_a_set_for_each_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
