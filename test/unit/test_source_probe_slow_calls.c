/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/probe/slow_calls_source, probe_times_read: what needs no kernel. test/live/funclatency.sh
 * tests what they deliver. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "bpf/probe_times.h"
#include "source/options.h"
#include "source/probe/probe_times_read.h"
#include "source/source.h"

static void test_open__needs_a_sampler_and_probes(void **state)
{
	const struct source_options options = { 0 };
	struct source *source = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(source_find("slow_calls")->open(&source, &options, &err), -EINVAL);
	assert_null(source);
	assert_non_null(strstr(err.msg, "no sampler"));
}

static void test_note__calls_without_a_time(void **state)
{
	struct probe_times sum[] = { { .calls = 5, .returned = 3 }, { .calls = 2, .returned = 2 } };
	struct source source = { 0 };

	(void)state;
	probe_times_note(sum, 2, &source);
	assert_ptr_equal(strstr(source.notes, "2 of 7 calls were not measured"), source.notes);
	source.notes[0] = '\0';
	sum[0].returned = 5;
	probe_times_note(sum, 2, &source);
	assert_string_equal(source.notes, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open__needs_a_sampler_and_probes),
		cmocka_unit_test(test_note__calls_without_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
