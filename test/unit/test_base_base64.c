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

static void test_base64__there_and_back(void **state)
{
	static const char *const pairs[][2] = {
		{ "", "" },	   { "f", "Zg==" },	   { "fo", "Zm8=" },
		{ "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "\xff\xfe\xfd", "//79" }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct buf text = { 0 }, back = { 0 };

		base64_encode(pairs[i][0], strlen(pairs[i][0]), &text);
		assert_string_equal(text.len ? text.data : "", pairs[i][1]);
		assert_true(base64_decode(pairs[i][1], text.len, &back));
		assert_int_equal(back.len, strlen(pairs[i][0]));
		assert_memory_equal(back.len ? back.data : "", pairs[i][0], back.len);
		buf_done(&text);
		buf_done(&back);
	}
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
		cmocka_unit_test(test_base64__there_and_back),
		cmocka_unit_test(test_base64__damage_and_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
