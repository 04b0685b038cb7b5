/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rust names demangled halfway become readable; all others are left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "format/perf_script/rust_name.h"

static void test_finish(void **state)
{
	static const char *const cases[][2] = {
		{ "a::b::h0123456789abcdef", "a::b" },
		{ "g::GcBox$LT$T$GT$::new::_$u7b$$u7b$closure$u7d$$u7d$::ha2ed0674a1c3dc9f",
		  "g::GcBox<T>::new::_{{closure}}" },
		{ "_<a..B$u20$as$u20$c..D>::e$RF$$C$$x$::h0123456789abcdef",
		  "_<a::B as c::D>::e&,$x$" },
		{ "a$::h0123456789abcdef", "a$" },
	};
	static const char *const others[] = { "", "main", "a::b::h0123456789abcde",
					      "a::b::h0123456789abcdeg", "::h0123456789abcdef" };
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&text);
		assert_true(rust_name_finish(cases[i][0], strlen(cases[i][0]), &text));
		assert_string_equal(text.data, cases[i][1]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(rust_name_finish(others[i], strlen(others[i]), &text));
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_finish) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
