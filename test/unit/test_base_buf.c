/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/buf: the limit holds, and the escapers never let bytes out that break JSON or XML. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
	assert_int_equal(0, buf_put_json(&b, "a\"\\\n\xff\xc3\xa9"));
	assert_string_equal("\"a\\\"\\\\\\u000a\xef\xbf\xbd\xc3\xa9\"", b.data);
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
	buf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buf__append_stops_at_limit),
		cmocka_unit_test(test_buf__json_escapes_quotes_controls_and_bad_utf8),
		cmocka_unit_test(test_buf__xml_escapes_markup),
		cmocka_unit_test(test_buf__tidy_takes_the_controls_out),
	};

	return cmocka_run_group_tests_name("base/buf", tests, NULL, NULL);
}
