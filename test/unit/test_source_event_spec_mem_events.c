/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of loads and stores by what a machine has, in folders made for this. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/event_spec/mem_events.h"

static char root[64];

static void run(const char *command)
{
	assert_int_equal(system(command), 0);
}

static void make(const char *file)
{
	char command[256];

	(void)snprintf(
		command, sizeof(command),
		"f=%s/sys/bus/event_source/devices/%s; mkdir -p \"${f%%/*}\" && touch \"$f\"", root,
		file);
	run(command);
}

static int choose(bool loads, bool stores, struct mem_events *ret, struct err *err)
{
	const struct mem_events_choice choice = { .root = root, .loads = loads, .stores = stores };

	return mem_events_choose(&choice, ret, err);
}

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(root, sizeof(root), "/tmp/mem_events.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf %s", root);
	run(command);
	return 0;
}

static void test_mem_events__intel(void **state)
{
	struct mem_events events;
	struct err err = { 0 };

	(void)state;
	make("cpu/events/mem-loads");
	make("cpu/events/mem-stores");
	assert_int_equal(choose(true, true, &events, &err), 0);
	assert_string_equal(events.text, "cpu/mem-loads,ldlat=30/P,cpu/mem-stores/P");
	assert_int_equal(choose(false, true, &events, &err), 0);
	assert_string_equal(events.text, "cpu/mem-stores/P");
	make("cpu/events/mem-loads-aux");
	assert_int_equal(choose(true, false, &events, &err), 0);
	assert_string_equal(events.text, "{cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/}:P");
}

static void test_mem_events__amd(void **state)
{
	struct mem_events events;
	struct err err = { 0 };

	(void)state;
	make("cpu/type");
	make("ibs_op/type");
	assert_int_equal(choose(true, true, &events, &err), 0);
	assert_string_equal(events.text, "ibs_op//");
}

static void test_mem_events__refusals_name_the_step(void **state)
{
	struct mem_events events;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(choose(true, true, &events, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "shows no hardware counters"));
	assert_non_null(strstr(err.hint, "cupel mem --stalls"));
	make("cpu/type");
	assert_int_equal(choose(true, true, &events, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "no event mem-loads"));
	make("arm_spe_0/type");
	assert_int_equal(choose(true, true, &events, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "arm_spe_0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_mem_events__intel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mem_events__amd, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mem_events__refusals_name_the_step, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
