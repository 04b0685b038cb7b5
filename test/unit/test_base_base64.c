/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/base64: the examples of RFC 4648, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/buf.h"

static void check(const char *text, const char *want)
{
	struct buf out = { .limit = 6 };

	if (!want) {
		assert_false(base64_decode(text, strlen(text), &out));
	} else {
		assert_true(base64_decode(text, strlen(text), &out));
		assert_string_equal(out.data ? out.data : "", want);
	}
	buf_done(&out);
}

static void test_base64__examples(void **state)
{
	(void)state;
	check("", "");
	check("Zg==", "f");
	check("Zm8=", "fo");
	check("Zm9v", "foo");
	check("Zm9vYg", "foob");
	check("Zm9vYmFy", "foobar");
}

static void test_base64__damage_and_limits(void **state)
{
	(void)state;
	check("Z", NULL);
	check("Zm9v Yg==", NULL);
	check("Zm9*", NULL);
	check("Zm9vYmFyYg==", NULL); /* past the buffer's limit */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base64__examples),
		cmocka_unit_test(test_base64__damage_and_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
