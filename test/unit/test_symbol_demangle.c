/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/demangle: what is mangled is demangled, what is not is left alone, and hostile names end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/demangle.h"

static void check(const char *mangled, const char *plain)
{
	char *got = demangle(mangled);

	if (plain) {
		assert_non_null(got);
		assert_string_equal(plain, got);
	} else {
		assert_null(got);
	}
	free(got);
}

static void test_demangle__leaves_c_names_alone(void **state)
{
	static const char *const names[] = { "f",   "i",     "main", "_init",	  "_start", "_Exit",
					     "_Rx", "_Dump", "__Z",  "v",	  "Z1fv",   "_",
					     "",    "__",    "_Z",   "___restore" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check(names[i], NULL);
}

static void test_demangle__cpp_names_lose_their_parameters(void **state)
{
	(void)state;
	check("_ZN3foo3barEi", "foo::bar");
	check("_ZNSt6vectorIiSaIiEE9push_backEOi",
	      "std::vector<int, std::allocator<int> >::push_back");
	check("_ZN12_GLOBAL__N_13runEv", "(anonymous namespace)::run");
}

static void test_demangle__clone_suffixes_stay(void **state)
{
	(void)state;
	check("_ZN3foo3barEi.isra.0", "foo::bar.isra.0");
	check("_ZN3foo3barEi.part.1.cold", "foo::bar.part.1.cold");
}

static void test_demangle__rust_names_lose_their_hash(void **state)
{
	(void)state;
	check("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	check("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
	      "17h930b740aa94f1d3aE",
	      "<Test + 'static as foo::Bar<Test>>::bar");
	check("_RNvC6_123foo3bar", "123foo::bar");
	check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
}

static void test_demangle__d_and_blocks(void **state)
{
	(void)state;
	check("_D8demangle4testFaZv", "demangle.test(char)");
	check("_Dmain", "D main");
	check("___ZN3foo3barEv_block_invoke_2", "foo::bar_block_invoke_2");
}

static void test_demangle__hostile_names_end_soon(void **state)
{
	size_t len = 100000;
	char *deep = malloc(len + 1);
	char bomb[1024] = "_Z1fP1a";

	(void)state;
	memset(deep, 'P', len);
	memcpy(deep, "_Z1f", 4);
	deep[len] = '\0';
	check(deep, NULL); /* too long */
	deep[60000] = '\0';
	free(demangle(deep));
	memcpy(deep, "_D1f", 4);
	memset(deep + 4, 'A', 59990);
	free(demangle(deep));
	memcpy(deep, "_R", 2);
	memset(deep + 2, 'R', 59990);
	free(demangle(deep));
	free(deep);
	/* every type is a function of the one before, twice: text doubles at each */
	for (int i = 0; i < 60; i++)
		strncat(bomb, "PFS_S_E", sizeof(bomb) - strlen(bomb) - 1);
	free(demangle(bomb));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle__leaves_c_names_alone),
		cmocka_unit_test(test_demangle__cpp_names_lose_their_parameters),
		cmocka_unit_test(test_demangle__clone_suffixes_stay),
		cmocka_unit_test(test_demangle__rust_names_lose_their_hash),
		cmocka_unit_test(test_demangle__d_and_blocks),
		cmocka_unit_test(test_demangle__hostile_names_end_soon),
	};

	return cmocka_run_group_tests_name("symbol/demangle", tests, NULL, NULL);
}
