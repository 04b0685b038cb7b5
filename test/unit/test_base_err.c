/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/err: messages, contexts and hints, also those that are too long. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static void test_err__set_formats_and_returns_the_code(void **state)
{
	struct err err = { .hint = "old" };

	(void)state;
	assert_int_equal(-EINVAL, err_set(&err, -EINVAL, "%s: %d", "line", 7));
	assert_int_equal(-EINVAL, err.code);
	assert_string_equal("line: 7", err.msg);
	assert_string_equal("", err.hint);
}

static void test_err__errno_is_appended(void **state)
{
	struct err err = { 0 };

	(void)state;
	errno = ENOENT;
	assert_int_equal(-ENOENT, err_errno(&err, "%s", "file"));
	assert_string_equal("file: No such file or directory", err.msg);
}

static void test_err__wrap_puts_context_in_front(void **state)
{
	struct err err = { 0 };

	(void)state;
	(void)err_set(&err, -EIO, "cause");
	assert_int_equal(-EIO, err_hint(&err, "try %s", "this"));
	assert_int_equal(-EIO, err_wrap(&err, "reading %s", "x"));
	assert_string_equal("reading x: cause", err.msg);
	assert_string_equal("try this", err.hint);
	assert_int_equal(-EIO, err_hint_add(&err, ", or that"));
	assert_string_equal("try this, or that", err.hint);
}

static void test_err__long_text_is_cut(void **state)
{
	struct err err = { 0 };
	char text[2000];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	(void)err_set(&err, -EIO, "%s", text);
	assert_int_equal(sizeof(err.msg) - 1, strlen(err.msg));
	(void)err_wrap(&err, "%s", text);
	assert_true(strlen(err.msg) < sizeof(err.msg));
	(void)err_hint(&err, "%s", text);
	assert_int_equal(sizeof(err.hint) - 1, strlen(err.hint));
	(void)err_hint_add(&err, "more");
	assert_int_equal(sizeof(err.hint) - 1, strlen(err.hint));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_err__set_formats_and_returns_the_code),
		cmocka_unit_test(test_err__errno_is_appended),
		cmocka_unit_test(test_err__wrap_puts_context_in_front),
		cmocka_unit_test(test_err__long_text_is_cut),
	};

	return cmocka_run_group_tests_name("base/err", tests, NULL, NULL);
}
