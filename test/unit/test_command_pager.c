/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/pager: for text that is longer than a terminal that can do it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/pager.h"

static void test_long_text_on_a_terminal_wants_a_pager(void **state)
{
	(void)state;
	assert_true(pager_is_wanted("less", "xterm", 24, 24));
	assert_false(pager_is_wanted("less", "xterm", 23, 24));
	assert_false(pager_is_wanted("less", "xterm", 1000, 0));
	assert_false(pager_is_wanted("less", "dumb", 1000, 24));
	assert_false(pager_is_wanted("less", NULL, 1000, 24));
	assert_false(pager_is_wanted("", "xterm", 1000, 24));
	assert_false(pager_is_wanted("cat", "xterm", 1000, 24));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_text_on_a_terminal_wants_a_pager),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
