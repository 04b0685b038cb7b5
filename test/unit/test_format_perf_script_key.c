/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines with equal keys have equal frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/perf_script/perf_script_key.h"

static const char *const lines[] = {
	"\t            1000 [unknown] (/a)",
	"\t            2000 [unknown] (/a)",
	"\t            2000 [unknown] (/b)",
	"\tffffffff81000000 [unknown] (/a)",
	"\tffffffff81000001 [unknown] (/a)",
	"\t            1000 f+0x1 (/a)",
	"\t            1001 f+0x2 (/a)",
	"\t            1001 [unknown]x (/a)",
	"\t            10 1 [unknown] (/a)",
	"\t            10g1 [unknown] (/a)",
	"\t [unknown] (/a)",
	"\t",
};

#define LINES (sizeof(lines) / sizeof(lines[0]))

static void check(bool merge_names, size_t same)
{
	struct script_line_keys keys = { .merge_names = merge_names };
	size_t pairs = 0;

	for (size_t i = 0; i < LINES; i++)
		for (size_t j = 0; j < i; j++) {
			struct slice a = { lines[i], strlen(lines[i]) };
			struct slice b = { lines[j], strlen(lines[j]) };

			if (script_text_key(&keys, a) != script_text_key(&keys, b))
				continue;
			pairs++;
			assert_int_equal(script_line_key(&keys, a), script_line_key(&keys, b));
		}
	assert_int_equal(pairs, same);
}

static void test_key__text_is_finer_than_meaning(void **state)
{
	(void)state;
	check(false, 0);
	check(true, 2); /* the unknown functions, by half of the address space */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key__text_is_finer_than_meaning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
