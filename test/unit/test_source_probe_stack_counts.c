/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/probe/stack_counts_source: it works for a sampler alone. test/live/stackcount.sh tests
 * what it delivers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/options.h"
#include "source/probe/probe_choice.h"
#include "source/source.h"

static void test_open__needs_a_sampler_and_probes(void **state)
{
	const struct probe_choice choice = { .by_event = true };
	struct source_options options = { .probes = &choice };
	struct source *source = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(source_find("stack_counts")->open(&source, &options, &err), -EINVAL);
	assert_null(source);
	assert_non_null(strstr(err.msg, "no sampler"));
	options.probes = NULL;
	assert_int_equal(source_find("stack_counts")->open(&source, &options, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open__needs_a_sampler_and_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
