/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vendors' names of events: which words are such names, and their codes on a CPU that
 * LIBPFM_FORCE_PMU names. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/event_spec/event_parse.h"
#include "source/event_spec/pfm_event.h"

static void test_pfm_event__has_a_form(void **state)
{
	(void)state;
	assert_true(pfm_event_is_name("INST_RETIRED:ANY_P"));
	assert_true(pfm_event_is_name("CPU_CYCLES"));
	assert_true(pfm_event_is_name("skx::inst_retired"));
	assert_false(pfm_event_is_name("sched:sched_switch"));
	assert_false(pfm_event_is_name("L1-dcache-loads"));
	assert_false(pfm_event_is_name("r1a8"));
	assert_false(pfm_event_is_name("cycles"));
}

static void check_code(const char *name, uint64_t config)
{
	struct pfm_encoding code;
	struct err err = { 0 };

	assert_int_equal(0, pfm_event_encode(name, &code, &err));
	assert_int_equal(PERF_TYPE_RAW, code.type);
	assert_int_equal(config, code.config);
}

static void test_pfm_event__has_a_code(void **state)
{
	struct pfm_encoding code;
	struct err err = { 0 };

	(void)state;
	check_code("INST_RETIRED:ANY_P", 0xc0);
	check_code("BR_MISP_RETIRED:ALL_BRANCHES", 0xc5);
	check_code("LONGEST_LAT_CACHE:MISS", 0x412e);
	check_code("INST_RETIRED:ANY_P:c=1", 0x10000c0);
	assert_int_equal(0, pfm_event_encode("INST_RETIRED:ANY_P:u", &code, &err));
	assert_true(code.exclude_kernel);
	assert_false(code.exclude_user);
	assert_int_equal(-ENOENT, pfm_event_encode("NO_SUCH_EVENT", &code, &err));
	assert_non_null(strstr(err.hint, "cupel list pfm"));
}

static void check_event(const char *text, uint64_t config, bool no_kernel, bool no_user)
{
	struct event_parse_options options = { .root = "/proc/nonexistent" };
	struct event_list list = { 0 };
	struct err err = { 0 };
	const struct event_spec *spec;

	assert_int_equal(0, event_list_parse(&list, text, &options, &err));
	assert_int_equal(1, list.spec.count);
	spec = list.spec.item[0];
	assert_string_equal(text, spec->name);
	assert_int_equal(PERF_TYPE_RAW, spec->attr.type);
	assert_int_equal(config, spec->attr.config);
	assert_int_equal(no_kernel, spec->attr.exclude_kernel);
	assert_int_equal(no_user, spec->attr.exclude_user);
	assert_int_equal(no_kernel || no_user, spec->exclude_given);
	event_list_done(&list);
}

static void test_pfm_event__is_parsed_with_modifiers(void **state)
{
	struct event_parse_options options = { .root = "/proc/nonexistent" };
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	check_event("INST_RETIRED:ANY_P", 0xc0, false, false);
	check_event("INST_RETIRED:ANY_P:u", 0xc0, true, false);
	check_event("INST_RETIRED:ANY_P:k", 0xc0, false, true);
	check_event("INST_RETIRED:ANY_P:c=1:u", 0x10000c0, true, false);
	check_event("skx::INST_RETIRED:ANY_P", 0xc0, false, false);
	check_event("UNHALTED_CORE_CYCLES", 0x3c, false, false);
	assert_int_equal(0,
			 event_list_parse(&list, "{INST_RETIRED:ANY_P,cycles}:u", &options, &err));
	assert_int_equal(2, list.spec.count);
	assert_int_equal(2, list.spec.item[0]->group_size);
	assert_true(list.spec.item[0]->attr.exclude_kernel);
	assert_int_equal(-ENOENT, event_list_parse(&list, "INST_RETIRED:NONE", &options, &err));
	assert_non_null(strstr(err.msg, "event 'INST_RETIRED:NONE': libpfm4: "));
	event_list_done(&list);
}

static void count(void *context, const char *name, const char *meaning)
{
	size_t *found = context;

	assert_true(pfm_event_is_name(name));
	assert_non_null(meaning);
	*found += !strcmp(name, "INST_RETIRED:ANY_P");
}

static void test_pfm_event__are_listed(void **state)
{
	struct err err = { 0 };
	size_t found = 0;

	(void)state;
	assert_int_equal(0, pfm_event_each(count, &found, &err));
	assert_int_equal(1, found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pfm_event__has_a_form),
		cmocka_unit_test(test_pfm_event__has_a_code),
		cmocka_unit_test(test_pfm_event__is_parsed_with_modifiers),
		cmocka_unit_test(test_pfm_event__are_listed),
	};

	if (setenv("LIBPFM_FORCE_PMU", "skx", 1))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
