/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/buf: the limit holds, and the escapers never let bytes out that break JSON or XML. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

static void test_buf__append_stops_at_limit(void **state)
{
	struct buf b = { .limit = 4 };

	(void)state;
	assert_int_equal(0, buf_append(&b, "abcd", 4));
	assert_int_equal(-E2BIG, buf_append(&b, "e", 1));
	assert_string_equal("abcd", b.data);
	buf_done(&b);
}

static void test_buf__json_escapes_quotes_controls_and_bad_utf8(void **state)
{
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(0, buf_put_json(&b, "a\"\\\n\xff\xc3\xa9\xc2\x9b"));
	assert_string_equal("\"a\\\"\\\\\\u000a\xef\xbf\xbd\xc3\xa9\\u009b\"", b.data);
	buf_done(&b);
}

static void test_buf__xml_escapes_markup(void **state)
{
	struct buf b = { 0 };
	const char *s = "<a href='x'>&\"\x01";

	(void)state;
	assert_int_equal(0, buf_put_xml(&b, s, strlen(s)));
	assert_string_equal("&lt;a href=&#39;x&#39;&gt;&amp;&quot;\xef\xbf\xbd", b.data);
	buf_done(&b);
}

static void test_buf__tidy_takes_the_controls_out(void **state)
{
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(0, buf_puts(&b, "\n"));
	assert_int_equal(0, buf_put_tidy(&b, "a\x1b[2J\r\n\t\x7f \xc2\x9b \xc2\xa0\xc3\xa9\xc2"));
	assert_string_equal("\na?[2J???? ?? \xc2\xa0\xc3\xa9\xc2", b.data);
	buf_clear(&b);
	assert_int_equal(0, buf_put_tidy(&b, "\x9b\xff\xe2\x80\xae\xed\xa0\x80 \xe2\x82\xac"));
	assert_string_equal("\x9b\xff???\xed\xa0\x80 \xe2\x82\xac", b.data);
	assert_true(text_is_tidy(b.data, b.len));
	assert_false(text_is_tidy("a\tb", 3));
	assert_false(text_is_tidy("\xe2\x80\xa8", 3));
	buf_done(&b);
}

static void test_buf__cut_counts_characters(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	assert_int_equal(5, buf_put_cut(&buf, "hello", 5));
	assert_int_equal(4, buf_put_cut(&buf, "hello", 4));
	assert_int_equal(2, buf_put_cut(&buf, "\xc3\xa4\xc3\xb6", 2));
	assert_int_equal(2, buf_put_cut(&buf, "\xc3\xa4\xc3\xb6z", 2));
	assert_int_equal(1, buf_put_cut(&buf, "\033[31m", 1));
	assert_int_equal(0, buf_put_cut(&buf, "x", 0));
	assert_string_equal("hellohel\xe2\x80\xa6\xc3\xa4\xc3\xb6\xc3\xa4\xe2\x80\xa6\xe2\x80\xa6",
			    buf.data);
	buf_done(&buf);
}

static void test_buf__tidy_lines_keep_newlines_and_tabs(void **state)
{
	char text[] = "a\tb\n\x1b[31m\xc3\xa9\n\xc2\n\x9b";

	(void)state;
	text_tidy_lines(text, sizeof(text) - 1);
	assert_string_equal("a\tb\n?[31m\xc3\xa9\n?\n?", text);
	text_tidy_lines(NULL, 0);
}

/* A character of two bytes and a control character at every place around the end of a block. */
static void test_buf__tidy_lines_cut_no_character(void **state)
{
	static char text[4200], expected[4200];

	(void)state;
	for (size_t at = 4080; at < 4110; at++) {
		memset(text, 'a', sizeof(text));
		memcpy(text + at, "\xc3\xa9\x1b\n", 4);
		memcpy(expected, text, sizeof(text));
		expected[at + 2] = '?';
		text_tidy_lines(text, sizeof(text));
		assert_memory_equal(expected, text, sizeof(text));
	}
}

static void numbers_as_printf_writes_them(void **state)
{
	static const double values[] = { 0,	 0.004,	 0.005,	 0.015, 0.125,	   1,
					 12.345, 99.995, 99.999, 100,	123456.78, 1e13 };
	struct buf buf = { 0 };
	char expected[64];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		(void)snprintf(expected, sizeof(expected), "%.2f", values[i]);
		buf_clear(&buf);
		assert_int_equal(buf_put_hundredths(&buf, values[i]), 0);
		assert_string_equal(buf.data, expected);
	}
	for (unsigned i = 0; i < 20000; i++) {
		double value = 100.0 * i / 20011;

		(void)snprintf(expected, sizeof(expected), "%.2f", value);
		buf_clear(&buf);
		assert_int_equal(buf_put_hundredths(&buf, value), 0);
		assert_string_equal(buf.data, expected);
	}
	buf_clear(&buf);
	assert_int_equal(buf_put_hex64(&buf, 0xfedcba98765u), 0);
	assert_int_equal(buf_pad(&buf, '.', 3), 0);
	assert_string_equal(buf.data, "00000fedcba98765...");
	buf_done(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_as_printf_writes_them),
		cmocka_unit_test(test_buf__append_stops_at_limit),
		cmocka_unit_test(test_buf__json_escapes_quotes_controls_and_bad_utf8),
		cmocka_unit_test(test_buf__xml_escapes_markup),
		cmocka_unit_test(test_buf__tidy_takes_the_controls_out),
		cmocka_unit_test(test_buf__cut_counts_characters),
		cmocka_unit_test(test_buf__tidy_lines_keep_newlines_and_tabs),
		cmocka_unit_test(test_buf__tidy_lines_cut_no_character),
	};

	return cmocka_run_group_tests_name("base/buf", tests, NULL, NULL);
}
