/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/test: programs with a known profile, and children that end or do not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/test/test_child.h"
#include "command/test/test_workload.h"

static void test_child__brings_output_and_status(void **state)
{
	const char *const words[] = { "/bin/sh", "-c", "echo out; echo err >&2; exit 7", NULL };
	const char *const killed[] = { "/bin/sh", "-c", "kill -9 $$", NULL };
	const char *const none[] = { "/no/such/file", NULL };
	struct buf output = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(test_child_run(words, 60, &output, &err), 7);
	assert_string_equal(output.data, "out\nerr\n");
	buf_done(&output);
	assert_int_equal(test_child_run(killed, 60, &output, &err), 128 + 9);
	assert_int_equal(test_child_run(none, 60, &output, &err), 127);
	buf_done(&output);
}

static void test_child__is_ended_after_its_time(void **state)
{
	const char *const words[] = { "/bin/sh", "-c", "sleep 600 & wait", NULL };
	struct buf output = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(test_child_run(words, 1, &output, &err), -ETIMEDOUT);
	buf_done(&output);
}

static void test_workload__makes_its_faults(void **state)
{
	struct rusage before, after;

	(void)state;
	assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
	assert_true(test_workload_run("faults"));
	assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
	assert_in_range(after.ru_minflt - before.ru_minflt, WORKLOAD_PAGES,
			WORKLOAD_PAGES + 400); /* the sanitizer has some of its own */
	assert_false(test_workload_run("nonsense"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_child__brings_output_and_status),
		cmocka_unit_test(test_child__is_ended_after_its_time),
		cmocka_unit_test(test_workload__makes_its_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
