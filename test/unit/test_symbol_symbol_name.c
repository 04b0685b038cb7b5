/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/symbol_name: versions, length and control characters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/symbol_name.h"

static void check(const char *raw, const char *suffix, const char *expected)
{
	char *got = symbol_name_present(raw, suffix, true);

	assert_string_equal(expected, got);
	free(got);
}

static void test_symbol_name__versions_are_cut(void **state)
{
	(void)state;
	check("memcpy@@GLIBC_2.14", "", "memcpy");
	check("memcpy@GLIBC_2.2.5", "", "memcpy");
	check("memcpy@GLIBC_2.2.5", "@plt", "memcpy@plt");
	check("puts@plt", "", "puts@plt");
	check("@odd", "", "@odd");
	check("", "", "");
}

static void test_symbol_name__plt_of_a_mangled_name(void **state)
{
	(void)state;
	check("_ZN3foo3barEi", "@plt", "foo::bar@plt");
}

static void test_symbol_name__control_characters_do_not_get_out(void **state)
{
	(void)state;
	check("a\033[31mb\nc\177", "", "a?[31mb?c?");
}

static void test_symbol_name__long_names_are_cut_and_marked(void **state)
{
	size_t len = 1 << 20;
	char *raw = malloc(len + 1), *got;

	(void)state;
	memset(raw, 'x', len);
	raw[len] = '\0';
	got = symbol_name_present(raw, "", true);
	assert_int_equal((64 << 10) + strlen("…"), strlen(got));
	assert_string_equal("…", got + (64 << 10));
	free(got);
	free(raw);
}

static void test_symbol_name__hashes_of_llvm_are_removed(void **state)
{
	char *raw;

	(void)state;
	check("_ZN3foo3barEi.llvm.123456789", "", "foo::bar");
	check("helper.llvm.42.cold", "", "helper.cold");
	check("read.llvm.ir", "", "read.llvm.ir");
	raw = symbol_name_present("helper.llvm.42", "", false);
	assert_string_equal(raw, "helper.llvm.42");
	free(raw);
}

static void test_symbol_name__clones_are_those_of_compilers(void **state)
{
	(void)state;
	assert_true(symbol_name_is_clone("poly", "poly"));
	assert_true(symbol_name_is_clone("poly.constprop.0", "poly"));
	assert_true(symbol_name_is_clone("poly.isra.0.cold", "poly.isra.0"));
	assert_true(symbol_name_is_clone("f(int) [clone .part.0]", "f(int)"));
	assert_false(symbol_name_is_clone("polygon", "poly"));
	assert_false(symbol_name_is_clone("poly", "poly.isra.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbol_name__versions_are_cut),
		cmocka_unit_test(test_symbol_name__plt_of_a_mangled_name),
		cmocka_unit_test(test_symbol_name__control_characters_do_not_get_out),
		cmocka_unit_test(test_symbol_name__long_names_are_cut_and_marked),
		cmocka_unit_test(test_symbol_name__hashes_of_llvm_are_removed),
		cmocka_unit_test(test_symbol_name__clones_are_those_of_compilers),
	};

	return cmocka_run_group_tests_name("symbol/symbol_name", tests, NULL, NULL);
}
