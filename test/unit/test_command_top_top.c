/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel top: invalid command lines fail before anything is done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"

extern const struct command cmd_top;

static void refuse(const char **words)
{
	struct option_words line = { 0, (char **)(uintptr_t)words }; /* reordered, not written */
	void *options = mem_zalloc(cmd_top.options_size);
	struct err err = { 0 };

	while (words[line.argc])
		line.argc++;
	if (cmd_top.defaults)
		cmd_top.defaults(options);
	if (!option_parse(&cmd_top, &line, options, &err))
		assert_int_equal(cmd_top.run(options, line.argc, line.argv, &err),
				 EXIT_STATUS_USAGE);
	assert_true(err.msg[0]);
	option_done(cmd_top.options, options);
	free(options);
}

static void test_top__refuses(void **state)
{
	(void)state;
	refuse((const char *[]){ "top", "program", NULL });
	refuse((const char *[]){ "top", "-d", "0", NULL });
	refuse((const char *[]){ "top", "--moments", "65", NULL });
	refuse((const char *[]){ "top", "-K", "-U", NULL });
	refuse((const char *[]){ "top", "-s", "nothing", NULL });
	refuse((const char *[]){ "top", "-a", "-p", "1", NULL });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top__refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
