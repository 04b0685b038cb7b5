/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distinguishes reports from profiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/foreign.h"

static const char *what(const char *text)
{
	return format_foreign((const uint8_t *)text, strlen(text));
}

static void test_foreign__reports(void **state)
{
	(void)state;
	assert_non_null(strstr(what("event  cycles\nbefore a, 3 samples\n"), "comparison"));
	assert_non_null(strstr(what("# Samples: 3\n#\n# Overhead  Command\n"), "report"));
	assert_null(what("event  a;b 12\n"));
	assert_null(what("# comment\na;b 12\n"));
	assert_null(what(""));
}

static void test_foreign__archives_of_perf(void **state)
{
	(void)state;
	assert_non_null(strstr(what("BZh91AY&SY\x01\x02"), "cupel archive --unpack"));
	assert_null(what("BZh is no header"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_foreign__reports),
		cmocka_unit_test(test_foreign__archives_of_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
