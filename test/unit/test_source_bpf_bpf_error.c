/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf_error: a refusal of the kernel in words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/bpf/bpf_error.h"

static void test_bpf_fail__names_step_cause_and_hint(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(bpf_fail(&err, -EPERM, "loading"), -EPERM);
	assert_string_equal(err.msg, "loading: Operation not permitted");
	assert_non_null(strstr(err.hint, "CAP_BPF"));
	assert_int_equal(err.code, -EPERM);
	(void)bpf_fail(&err, -E2BIG, "loading");
	assert_string_equal(err.msg, "loading: larger than this kernel allows");
	assert_true(bpf_kernel_since(5, 0));
	assert_true(bpf_kernel_since(2, 99));
	assert_false(bpf_kernel_since(99, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bpf_fail__names_step_cause_and_hint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
