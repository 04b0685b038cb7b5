/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/mark: lines of marks, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "store/label_set.h"
#include "store/mark.h"
#include "store/selector.h"

static void test_mark__lines(void **state)
{
	static const char text[] = "# comment\n\n@1700000000 deploy of 1.2.3 \r\n"
				   "2026-11-24T14:30:00Z {service=\"a}b\"} x\033y\n"
				   " @5 {service=web}\n";
	struct label_set labels = { 0 };
	struct marks marks = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(marks_parse("m", text, &marks, &err), 0);
	assert_int_equal(marks.item.count, 3);
	assert_true(marks.item.item[0].time_ns == 1700000000u * (uint64_t)1000000000);
	assert_string_equal(marks.item.item[0].text, "deploy of 1.2.3");
	assert_null(marks.item.item[0].selector);
	assert_true(marks.item.item[1].time_ns == 1795530600u * (uint64_t)1000000000);
	assert_string_equal(marks.item.item[1].text, "x?y");
	assert_true(label_set_put(&labels, "service", "a}b"));
	assert_true(selector_match(marks.item.item[1].selector, &labels));
	assert_false(selector_match(marks.item.item[2].selector, &labels));
	assert_string_equal(marks.item.item[2].text, "");
	label_set_done(&labels);
	marks_done(&marks);
}

static void test_mark__mistakes_have_a_number(void **state)
{
	static const char *const wrong[] = { "-1h x", "now x",	      "deploy",
					     "@x y",  "@5 {service=", "@5 {service=~\"(\"} x" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct marks marks = { 0 };
		struct err err = { 0 };
		char text[64];

		(void)snprintf(text, sizeof(text), "@1 fine\n%s", wrong[i]);
		assert_int_not_equal(marks_parse("m", text, &marks, &err), 0);
		assert_non_null(strstr(err.msg, "m:2: "));
		marks_done(&marks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mark__lines),
		cmocka_unit_test(test_mark__mistakes_have_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
