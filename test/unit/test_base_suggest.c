/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/near: which words are near a mistyped one, best first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/suggest.h"

static void test_suggest__finds_slips(void **state)
{
	static const char *const typed[] = { "reprot", "repot", "reportt", "rebort", "REPORT" };
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof(typed) / sizeof(*typed); i++) {
		struct suggest suggest = { .word = typed[i] };

		suggest_offer(&suggest, "record");
		suggest_offer(&suggest, "report");
		suggest_offer(&suggest, "script");
		assert_true(suggest.count >= 1);
		assert_string_equal("report", suggest.best[0].name);
		(void)suggest_text(&suggest, text, sizeof(text));
		assert_memory_equal("'report'", text, 8);
	}
}

static void test_suggest__ignores_what_is_far(void **state)
{
	struct suggest suggest = { .word = "frobnicate" };
	char text[100] = "old";

	(void)state;
	suggest_offer(&suggest, "record");
	assert_int_equal(0, suggest.count);
	assert_string_equal("", suggest_text(&suggest, text, sizeof(text)));
}

static void test_suggest__keeps_the_best_few(void **state)
{
	struct suggest suggest = { .word = "abcdefgh" };
	char text[100];

	(void)state;
	suggest_offer(&suggest, "abcdefxx");
	suggest_offer(&suggest, "abcdefgx");
	suggest_offer(&suggest, "abcdefgx"); /* counts once */
	suggest_offer(&suggest, "abcdxxgh");
	suggest_offer(&suggest, "abcdefgh");
	assert_int_equal(SUGGEST_MAX, suggest.count);
	assert_string_equal("'abcdefgh', 'abcdefgx' or 'abcdefxx'",
			    suggest_text(&suggest, text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suggest__finds_slips),
		cmocka_unit_test(test_suggest__ignores_what_is_far),
		cmocka_unit_test(test_suggest__keeps_the_best_few),
	};

	return cmocka_run_group_tests_name("base/near", tests, NULL, NULL);
}
