/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/command_words: the words are those that were set, and none before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/command.h"
#include "command/option/option.h"

static void test_command_words__are_kept(void **state)
{
	char name[] = "cupel", verb[] = "report", *argv[] = { name, verb, NULL };

	(void)state;
	assert_int_equal(0, command_words()->argc);
	command_set_words(&(struct option_words){ 2, argv });
	assert_int_equal(2, command_words()->argc);
	assert_string_equal("report", command_words()->argv[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_words__are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
