/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/strtab: equal strings are one id, and pointers stay valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/strtab.h"

static void test_strtab__equal_strings_have_one_id(void **state)
{
	struct strtab *tab = strtab_new();
	string_id a = strtab_puts(tab, "main");

	(void)state;
	assert_int_equal(a.v, strtab_intern(tab, "main.c", 4).v);
	assert_true(a.v != strtab_puts(tab, "main.c").v);
	assert_int_equal(4, strtab_len(tab, a));
	assert_int_equal(STRING_EMPTY.v, strtab_puts(tab, "").v);
	assert_string_equal("", strtab_get(tab, STRING_EMPTY));
	assert_int_equal(3, strtab_count(tab));
	strtab_free(tab);
	strtab_free(NULL);
}

static void test_strtab__pointers_survive_growth(void **state)
{
	struct strtab *tab = strtab_new();
	const char *first = strtab_get(tab, strtab_puts(tab, "first"));
	char text[32];

	(void)state;
	for (int i = 0; i < 50000; i++) {
		(void)snprintf(text, sizeof(text), "name%d", i);
		assert_int_equal(i + 2, strtab_puts(tab, text).v);
	}
	assert_string_equal("first", first);
	assert_string_equal("name49999", strtab_get(tab, (string_id){ 50001 }));
	strtab_free(tab);
}

static void test_strtab__tidy_strings_are_found_again(void **state)
{
	struct strtab *tab = strtab_new();
	string_id id = strtab_intern(tab, "a\nb", 3);

	(void)state;
	assert_string_equal("a?b", strtab_get(tab, id));
	assert_int_equal(id.v, strtab_intern(tab,
					     "a\x1b"
					     "b",
					     3)
				       .v);
	assert_int_equal(id.v, strtab_puts(tab, "a?b").v);
	strtab_free(tab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strtab__equal_strings_have_one_id),
		cmocka_unit_test(test_strtab__pointers_survive_growth),
		cmocka_unit_test(test_strtab__tidy_strings_are_found_again),
	};

	return cmocka_run_group_tests_name("base/strtab", tests, NULL, NULL);
}
