/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/agent/agent_pressure: what a trigger may say, and the waits of a cgroup without a file of
 * pressure, with a /proc of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "store_samples.h"

#include "base/err.h"
#include "session/agent/agent_pressure.h"

static char root[64];

static int set_up(void **state)
{
	(void)state;
	make_folder(root);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	remove_folder(root);
	return 0;
}

static void test_pressure__mistakes_are_named(void **state)
{
	static const char *const wrong[] = { "",
					     ":",
					     "a",
					     "a:cpu",
					     "a:cpu:1",
					     ":cpu:1/1000",
					     "a:cpu:0/1000",
					     "a:cpu:-5/1000",
					     "a:cpu:1/10",
					     "a:cpu:1/1000x",
					     "a:cpu:1/99999" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct agent_pressure pressure;
		struct err err = { 0 };

		if (agent_pressure_open_cgroup(wrong[i], &pressure, &err) != -EINVAL)
			fail_msg("%s", wrong[i]);
		assert_non_null(strstr(err.msg, "expected a cgroup"));
		agent_pressure_close(&pressure);
	}
	for (size_t i = 0; i < 2; i++) {
		struct agent_pressure pressure;
		struct err err = { 0 };

		assert_int_equal(agent_pressure_open_cgroup(i ? "/nosuch:a:cpu:1/1000"
							      : "no/such:cpu:1/1000",
							    &pressure, &err),
				 -ENOENT);
		assert_non_null(strstr(err.msg, i ? "/nosuch:a: there is no such cgroup"
						  : "no/such: there is no such cgroup"));
		agent_pressure_close(&pressure);
	}
}

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void make(const char *name)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

/* Threads of the cgroup and of one below it; one that is new, one that has ended. */
static void test_pressure__waits_of_threads_are_added_up(void **state)
{
	struct agent_pressure pressure;
	struct err err = { 0 };
	char spec[128];

	(void)state;
	make("group");
	make("group/below");
	make("proc");
	make("proc/10");
	make("proc/11");
	make("proc/12");
	put("group/cgroup.procs", "10\n");
	put("group/tasks", "10\n13\n");
	put("group/below/cgroup.threads", "11\n");
	put("proc/10/schedstat", "5 7000000000 1\n");
	put("proc/11/schedstat", "5 9000000000 1\n");
	put("proc/12/schedstat", "5 800000000000 1\n");
	(void)snprintf(spec, sizeof(spec), "%s/group:io:100/1000", root);
	assert_int_equal(agent_pressure_open_cgroup(spec, &pressure, &err), -ENOENT);
	agent_pressure_close(&pressure);
	err = (struct err){ 0 };
	(void)snprintf(spec, sizeof(spec), "%s/group:cpu:100/1000", root);
	assert_int_equal(agent_pressure_open_cgroup(spec, &pressure, &err), 0);
	pressure.root = root;
	assert_false(agent_pressure_look(&pressure, 100 * SECOND_NS)); /* from here on */
	assert_false(agent_pressure_look(&pressure, 101 * SECOND_NS));
	put("proc/10/schedstat", "5 7050000000 1\n");
	assert_false(agent_pressure_look(&pressure, 102 * SECOND_NS));
	put("proc/10/schedstat", "5 7100000000 1\n");
	put("proc/11/schedstat", "5 9050000000 1\n");
	assert_true(agent_pressure_look(&pressure, 103 * SECOND_NS));
	put("group/tasks", "10\n12\n");
	assert_true(agent_pressure_look(&pressure, 104 * SECOND_NS)); /* a second of it counts */
	put("proc/12/schedstat", "5 800150000000 1\n");
	assert_false(agent_pressure_look(&pressure, 106 * SECOND_NS)); /* 75 ms a second */
	agent_pressure_close(&pressure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pressure__mistakes_are_named),
		cmocka_unit_test_setup_teardown(test_pressure__waits_of_threads_are_added_up,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
