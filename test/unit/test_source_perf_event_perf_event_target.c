/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/perf_event_target: options become threads and CPUs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/options.h"
#include "source/perf_event/perf_event.h"

static void test_perf_target__takes_everybody_on_every_cpu(void **state)
{
	struct source_options options = { .system_wide = true };
	struct perf_target target = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(0, perf_target_open(&target, &options, &err));
	assert_int_equal(1, target.pid.count);
	assert_int_equal(-1, target.pid.item[0]);
	assert_int_equal(sysconf(_SC_NPROCESSORS_ONLN), target.cpu.count);
	assert_false(target.attach);
	perf_target_done(&target);
}

static void test_perf_target__takes_a_process_once(void **state)
{
	char twice[64];
	struct source_options options = { .pids = twice };
	struct perf_target target = { 0 };
	struct err err;

	(void)state;
	(void)snprintf(twice, sizeof(twice), "%d,%d", (int)getpid(), (int)getpid());
	assert_int_equal(0, perf_target_open(&target, &options, &err));
	assert_int_equal(1, target.pid.count);
	assert_int_equal(getpid(), target.pid.item[0]);
	assert_true(target.attach);
	perf_target_done(&target);
}

static void test_perf_target__follows_a_thread_without_cpu(void **state)
{
	struct source_options options = { .per_thread = true, .program = 1234 };
	struct perf_target target = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(0, perf_target_open(&target, &options, &err));
	assert_int_equal(1, target.cpu.count);
	assert_int_equal(-1, target.cpu.item[0]);
	assert_int_equal(1234, target.pid.item[0]);
	perf_target_done(&target);
}

static void test_perf_target__samples_some_cpus_and_follows_all(void **state)
{
	struct source_options options = { .cpus = "0" };
	struct perf_target target = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(0, perf_target_open(&target, &options, &err));
	assert_int_equal(1, target.sampled.count);
	assert_int_equal(0, target.sampled.item[0]);
	assert_int_equal(sysconf(_SC_NPROCESSORS_ONLN), target.cpu.count);
	perf_target_done(&target);
}

static int open_with(const struct source_options *options)
{
	struct perf_target target = { 0 };
	struct err err = { 0 };
	int code = perf_target_open(&target, options, &err);

	perf_target_done(&target);
	if (code)
		assert_int_equal(code, err.code);
	return code;
}

static void test_perf_target__names_what_is_not_there(void **state)
{
	(void)state;
	assert_int_equal(-ESRCH, open_with(&(struct source_options){ .pids = "2147483646" }));
	assert_int_equal(-ESRCH, open_with(&(struct source_options){ .tids = "2147483646" }));
	assert_int_equal(-EINVAL, open_with(&(struct source_options){ .pids = "1x" }));
	assert_int_equal(-EINVAL, open_with(&(struct source_options){ .pids = "" }));
	assert_int_equal(-EINVAL, open_with(&(struct source_options){ .pids = "0" }));
	assert_int_equal(-EINVAL, open_with(&(struct source_options){ .cpus = "0-" }));
	assert_int_equal(-ENODEV, open_with(&(struct source_options){ .cpus = "60000" }));
	assert_int_equal(-EINVAL, open_with(&(struct source_options){ .user = "no such user" }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_target__takes_everybody_on_every_cpu),
		cmocka_unit_test(test_perf_target__takes_a_process_once),
		cmocka_unit_test(test_perf_target__follows_a_thread_without_cpu),
		cmocka_unit_test(test_perf_target__samples_some_cpus_and_follows_all),
		cmocka_unit_test(test_perf_target__names_what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
