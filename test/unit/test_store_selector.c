/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/label_set and store/selector: what is a label, and which series a selector means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/label_set.h"
#include "store/selector.h"

static bool matches(const char *text, const struct label_set *labels)
{
	struct selector *selector;
	struct err err = { 0 };
	bool match;

	if (selector_parse(text, &selector, &err))
		fail_msg("%s: %s", text, err.msg);
	match = selector_match(selector, labels);
	selector_free(selector);
	return match;
}

static void test_selector__all_conditions_must_hold(void **state)
{
	struct label_set labels = { 0 };

	(void)state;
	assert_true(label_set_put(&labels, "service", "web"));
	assert_true(label_set_put(&labels, "host", "db-1"));
	assert_true(matches("{}", &labels));
	assert_true(matches("", &labels));
	assert_true(matches("{service=\"web\", host=~\"db.*\"}", &labels));
	assert_true(matches("service=web,host=db-1", &labels));
	assert_true(matches(" { service = 'web' , } ", &labels));
	assert_false(matches("{service=\"web\", host=~\"b.*\"}", &labels)); /* the whole value */
	assert_true(matches("host=~'x|db-[0-9]'", &labels));
	assert_false(matches("service!=web", &labels));
	assert_true(matches("unit!=x", &labels)); /* a missing one is empty */
	assert_true(matches("unit=\"\"", &labels));
	assert_true(matches("unit!~'.+'", &labels));
	label_set_done(&labels);
}

static void test_selector__a_set_as_text_finds_itself(void **state)
{
	struct label_set labels = { 0 };
	struct buf text = { 0 };

	(void)state;
	assert_true(label_set_put(&labels, "b", "a \"quoted\" \\ one, {and} more"));
	assert_true(label_set_put(&labels, "a.c", "1"));
	label_set_text(&labels, &text);
	assert_true(matches(text.data, &labels));
	assert_int_equal(strncmp(text.data, "{a.c=\"1\", b=", 12), 0);
	buf_done(&text);
	label_set_done(&labels);
}

static void test_selector__mistakes_are_named(void **state)
{
	static const char *const wrong[][2] = {
		{ "{service}", "expected =" },
		{ "{=x}", "name of a label" },
		{ "{1a=x}", "name of a label" },
		{ "{a=}", "value in quotes" },
		{ "{a=\"x}", "not closed" },
		{ "{a=x", "expected , or }" },
		{ "a=x b=y", "expected , or the end" },
		{ "a=~'('", "selector" },
		{ "a=~'x{1000}'", "regular expression" },
		{ "a=~'x++++'", "regular expression" },
		{ "a=~'(x)\\1'", "regular expression" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct selector *selector = NULL;
		struct err err = { 0 };

		assert_int_not_equal(selector_parse(wrong[i][0], &selector, &err), 0);
		assert_true(err.usage);
		if (!strstr(err.msg, wrong[i][1]))
			fail_msg("%s: %s", wrong[i][0], err.msg);
	}
}

static void test_label_set__is_sorted_and_bounded(void **state)
{
	struct label_set labels = { 0 };
	struct err err = { 0 };
	char name[8];

	(void)state;
	assert_int_equal(label_set_put_text(&labels, "z=1", &err), 0);
	assert_int_equal(label_set_put_text(&labels, "a=x=y", &err), 0);
	assert_string_equal(labels.labels.item[0].name, "a");
	assert_string_equal(label_set_get(&labels, "a"), "x=y");
	assert_int_equal(label_set_put_text(&labels, "a=2", &err), 0);
	assert_int_equal(labels.labels.count, 2);
	assert_true(label_set_put(&labels, "a", "")); /* the same as none */
	assert_int_equal(labels.labels.count, 1);
	assert_int_not_equal(label_set_put_text(&labels, "no", &err), 0);
	assert_int_not_equal(label_set_put_text(&labels, "a-b=1", &err), 0);
	for (int i = 0; i < LABELS_MAX + 8; i++) {
		name[0] = 'l';
		name[1] = (char)('0' + i / 10);
		name[2] = (char)('0' + i % 10);
		name[3] = '\0';
		(void)label_set_put(&labels, name, "x");
	}
	assert_int_equal(labels.labels.count, LABELS_MAX);
	label_set_done(&labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selector__all_conditions_must_hold),
		cmocka_unit_test(test_selector__a_set_as_text_finds_itself),
		cmocka_unit_test(test_selector__mistakes_are_named),
		cmocka_unit_test(test_label_set__is_sorted_and_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
