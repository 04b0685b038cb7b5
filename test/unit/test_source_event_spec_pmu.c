/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small parsers under event selection: PMU formats, CPU lists, branch filters, event names. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/suggest.h"
#include "source/event_spec/branch_type.h"
#include "source/event_spec/event_names.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/pmu.h"
#include "source/id_list.h"

static void test_pmu__formats_spread_bits(void **state)
{
	uint64_t words[PMU_CONFIG_WORDS] = { 0, UINT64_MAX, 0 };
	struct pmu_format format = { 0 };

	(void)state;
	assert_int_equal(0, pmu_format_parse("config:0-7,32-35", &format));
	assert_int_equal(0xf000000ffULL, format.mask);
	assert_true(pmu_format_put(&format, 0xabc, words));
	assert_int_equal(0xa000000bcULL, words[0]);
	assert_false(pmu_format_put(&format, 0x1000, words));
	assert_int_equal(0xa000000bcULL, words[0]);
	assert_int_equal(0, pmu_format_parse("config1:0-63", &format));
	assert_true(pmu_format_put(&format, 5, words));
	assert_int_equal(5, words[1]);
	assert_int_equal(0, pmu_format_parse("config2:63", &format));
	assert_int_equal(1ULL << 63, format.mask);
	assert_int_equal(-ENOTSUP, pmu_format_parse("config9:1", &format));
	assert_int_equal(-EINVAL, pmu_format_parse("config:", &format));
	assert_int_equal(-EINVAL, pmu_format_parse("config:5-3", &format));
	assert_int_equal(-EINVAL, pmu_format_parse("config:64", &format));
	assert_int_equal(-EINVAL, pmu_format_parse("config:1,", &format));
	assert_int_equal(-EINVAL, pmu_format_parse("config:-1", &format));
}

static void test_cpu_list__ranges(void **state)
{
	static const char *const bad[] = {
		"", ",", "1,", "3-1", "-1", "1-", "a", "0-70000", "1 2"
	};
	struct id_list list = { 0 };

	(void)state;
	assert_int_equal(0, cpu_list_parse("0-2,8", &list));
	assert_int_equal(4, list.count);
	assert_int_equal(8, list.item[3]);
	vec_done(&list);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(-EINVAL, cpu_list_parse(bad[i], &list));
		vec_done(&list);
	}
}

static void test_branch_type__names(void **state)
{
	struct err err = { 0 };
	uint64_t bits = 0;

	(void)state;
	assert_int_equal(0, branch_type_parse("any_call,u", &bits, &err));
	assert_int_equal(PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER, bits);
	assert_int_equal(0, branch_type_parse("k", &bits, &err));
	assert_int_equal(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL, bits);
	assert_int_equal(-EINVAL, branch_type_parse("any_cal", &bits, &err));
	assert_non_null(strstr(err.hint, "'any_call'"));
}

static void test_event_names__nearest_come_first(void **state)
{
	struct suggest suggest = { .word = "page-fault" };
	char text[128];

	(void)state;
	event_name_offer(&suggest);
	assert_int_equal(0,
			 strncmp(suggest_text(&suggest, text, sizeof(text)), "'page-faults'", 13));
	suggest = (struct suggest){ .word = "nothing-like-it-at-all" };
	event_name_offer(&suggest);
	assert_string_equal("", suggest_text(&suggest, text, sizeof(text)));
}

static void test_name_list__live_folder_is_sorted(void **state)
{
	struct arena arena = { 0 };
	struct name_list list = { 0 };

	(void)state;
	assert_int_equal(-ENOENT, name_list_folder(&list, "/nowhere", "*", "", &arena));
	assert_int_equal(0, name_list_folder(&list, "/", "[du]*", "x", &arena));
	for (size_t i = 0; i + 1 < list.count; i++)
		assert_true(strcmp(list.item[i], list.item[i + 1]) < 0);
	assert_true(list.count >= 2 && list.item[0][0] == 'x');
	name_list_done(&list);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pmu__formats_spread_bits),
		cmocka_unit_test(test_cpu_list__ranges),
		cmocka_unit_test(test_branch_type__names),
		cmocka_unit_test(test_event_names__nearest_come_first),
		cmocka_unit_test(test_name_list__live_folder_is_sorted),
	};

	return cmocka_run_group_tests_name("source/pmu", tests, NULL, NULL);
}
