/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON parser: what is JSON, what is cut off, values and walks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

static struct json parse(const char *text)
{
	struct json json;
	struct err err = { 0 };

	assert_int_equal(json_parse(text, strlen(text), &json, &err), 0);
	return json;
}

static void test_json__values(void **state)
{
	struct json json =
		parse(" {\"a\": [1, -2.5e1, true, null, \"x\"], \"b\": {\"c\": 12}, \"a\": 0}");
	json_id a = json_get(&json, JSON_ROOT, "a");

	(void)state;
	assert_int_equal(json_count(&json, JSON_ROOT), 3);
	assert_int_equal(json_count(&json, a), 5);
	assert_int_equal(json_u64(&json, json_item(&json, a, 0), 0), 1);
	assert_true(json_number(&json, json_item(&json, a, 1), 0) < -24.9);
	assert_int_equal(json_type(&json, json_item(&json, a, 2)), JSON_BOOL);
	assert_int_equal(json_type(&json, json_item(&json, a, 3)), JSON_NULL);
	assert_true(json_is(&json, json_item(&json, a, 4), "x"));
	assert_int_equal(json_item(&json, a, 5), JSON_NONE);
	assert_int_equal(json_u64(&json, json_get(&json, json_get(&json, 0, "b"), "c"), 0), 12);
	assert_int_equal(json_u64(&json, json_get(&json, 0, "none"), 7), 7);
	json_done(&json);
}

static void test_json__strings_are_decoded(void **state)
{
	struct json json = parse("\"a\\n\\u00e9\\ud83d\\ude00\\ud800\\\"\\/\"");
	struct buf text = { 0 };

	(void)state;
	json_put(&json, JSON_ROOT, &text);
	assert_string_equal(text.data, "a\n\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd\"/");
	buf_done(&text);
	json_done(&json);
}

static void test_json__a_cut_document_is_read_as_far_as_it_goes(void **state)
{
	static const char *const texts[] = { "[{\"a\":1},{\"b\"",
					     "[{\"a\":1},{\"b\":", "[{\"a\":1},{\"b\":\"x",
					     "[{\"a\":1},{\"b\":12", "[{\"a\":1},{" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct json json = parse(texts[i]);

		assert_true(json.truncated);
		assert_int_equal(json_count(&json, JSON_ROOT), 2);
		assert_int_equal(json_count(&json, json_item(&json, 0, 1)), 0);
		json_done(&json);
	}
}

static void test_json__nonsense_is_refused(void **state)
{
	static const char *const texts[] = { "",	  "x",		 "[1 2]",    "{1:2}",
					     "{\"a\" 1}", "[,]",	 "{\"a\":}", "[}",
					     "]",	  "{\"a\":1,,}", "nul",	     "[tru]" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct json json;
		struct err err = { 0 };

		assert_int_not_equal(json_parse(texts[i], strlen(texts[i]), &json, &err), 0);
		assert_true(strstr(err.msg, "byte"));
	}
}

static void test_json__trailing_commas_and_marks(void **state)
{
	struct json json = parse("\xef\xbb\xbf[1,{\"a\":2,},]");

	(void)state;
	assert_false(json.truncated);
	assert_int_equal(json_count(&json, JSON_ROOT), 2);
	json_done(&json);
}

static void test_json__walks(void **state)
{
	struct json json = parse("[[1,[2]],3,{\"x\":[4]},5]");
	size_t steps = 0;

	(void)state;
	for (json_id at = json_first(&json, 0); at != JSON_NONE; at = json_next(&json, 0, at))
		steps++;
	assert_int_equal(steps, 4);
	assert_int_equal(json_u64(&json, json_item(&json, 0, 3), 0), 5);
	json_done(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json__values),
		cmocka_unit_test(test_json__strings_are_decoded),
		cmocka_unit_test(test_json__a_cut_document_is_read_as_far_as_it_goes),
		cmocka_unit_test(test_json__nonsense_is_refused),
		cmocka_unit_test(test_json__trailing_commas_and_marks),
		cmocka_unit_test(test_json__walks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
