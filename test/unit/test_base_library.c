// SPDX-License-Identifier: GPL-2.0-or-later
/* base/library: functions are found by name; what is missing is named, and leaves the table as is.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/library.h"

/* Of the C library, which every machine has; gnu_get_libc_version() is in no header used here. */
struct libc {
	size_t (*strnlen)(const char *s, size_t max);
	const char *(*gnu_get_libc_version)(void);
	void (*no_such_function)(void);
};

static const struct library_function functions[] = {
	LIBRARY_LOADED(struct libc, strnlen),
	LIBRARY_LOADED(struct libc, gnu_get_libc_version),
	LIBRARY_LOADED(struct libc, no_such_function),
};

static void test_library__loads_functions_by_name(void **state)
{
	struct library library = { "libc.so.6", functions, 2 };
	struct libc libc = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, library_load(&library, &libc, &err));
	assert_int_equal(3, libc.strnlen("abc", 9));
	assert_int_equal('2', *libc.gnu_get_libc_version());
	assert_null(libc.no_such_function);
}

static void test_library__missing_function_leaves_the_table(void **state)
{
	struct library library = { "libc.so.6", functions, 3 };
	struct libc libc = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(-ENOSYS, library_load(&library, &libc, &err));
	assert_string_equal("libc.so.6 has no function no_such_function", err.msg);
	assert_null(libc.strnlen);
}

static void test_library__missing_library_is_named_with_a_hint(void **state)
{
	struct library library = { "libabsent.so.7", functions, 1 };
	struct libc libc = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(-ENOSYS, library_load(&library, &libc, &err));
	assert_string_equal("libabsent.so.7 is not installed", err.msg);
	assert_string_equal("install the package that has libabsent.so.7", err.hint);
}

/* As in a static program. */
static void test_library__linked_functions_need_no_file(void **state)
{
	const struct library_function linked[] = {
		{ "strnlen", offsetof(struct libc, strnlen), (void (*)(void))strnlen },
	};
	struct library library = { "libabsent.so.7", linked, 1 };
	struct libc libc = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, library_load(&library, &libc, &err));
	assert_int_equal(2, libc.strnlen("ab", 9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library__loads_functions_by_name),
		cmocka_unit_test(test_library__missing_function_leaves_the_table),
		cmocka_unit_test(test_library__missing_library_is_named_with_a_hint),
		cmocka_unit_test(test_library__linked_functions_need_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
