/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/browser: the table of keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/browser/browser_keys.h"

static void test_keys__are_unique(void **state)
{
	(void)state;
	for (const struct browser_key_row *a = browser_keys; a->action; a++) {
		assert_int_equal(browser_key_action(a->key), a->action);
		for (const struct browser_key_row *b = a + 1; b->action; b++)
			assert_true(a->key != b->key && a->key != b->other &&
				    (!a->other || (a->other != b->key && a->other != b->other)));
	}
	assert_int_equal(browser_key_action(BROWSER_KEY_NONE), BROWSER_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys__are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
