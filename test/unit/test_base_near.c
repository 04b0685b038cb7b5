/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/near: which words are near a mistyped one, best first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near.h"

static void test_near__finds_slips(void **state)
{
	static const char *const typed[] = { "reprot", "repot", "reportt", "rebort", "REPORT" };
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof(typed) / sizeof(*typed); i++) {
		struct near near = { .word = typed[i] };

		near_offer(&near, "record");
		near_offer(&near, "report");
		near_offer(&near, "script");
		assert_true(near.count >= 1);
		assert_string_equal("report", near.best[0].name);
		(void)near_text(&near, text, sizeof(text));
		assert_memory_equal("'report'", text, 8);
	}
}

static void test_near__ignores_what_is_far(void **state)
{
	struct near near = { .word = "frobnicate" };
	char text[100] = "old";

	(void)state;
	near_offer(&near, "record");
	assert_int_equal(0, near.count);
	assert_string_equal("", near_text(&near, text, sizeof(text)));
}

static void test_near__keeps_the_best_few(void **state)
{
	struct near near = { .word = "abcdefgh" };
	char text[100];

	(void)state;
	near_offer(&near, "abcdefxx");
	near_offer(&near, "abcdefgx");
	near_offer(&near, "abcdxxgh");
	near_offer(&near, "abcdefgh");
	assert_int_equal(NEAR_MAX, near.count);
	assert_string_equal("'abcdefgh', 'abcdefgx' or 'abcdefxx'",
			    near_text(&near, text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near__finds_slips),
		cmocka_unit_test(test_near__ignores_what_is_far),
		cmocka_unit_test(test_near__keeps_the_best_few),
	};

	return cmocka_run_group_tests_name("base/near", tests, NULL, NULL);
}
