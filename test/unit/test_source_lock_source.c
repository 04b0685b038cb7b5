/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source of waits for locks works for a sampler alone. test/live/locks.sh tests what it
 * delivers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/source.h"

static void test_open__needs_a_sampler(void **state)
{
	const struct source_options options = { 0 };
	struct source *source = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(source_find("lock")->open(&source, &options, &err), -EINVAL);
	assert_null(source);
	assert_non_null(strstr(err.msg, "no CPU sampler"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_open__needs_a_sampler) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
