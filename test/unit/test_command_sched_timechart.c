/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel timechart: invalid command lines fail before anything is done. */
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

extern const struct command cmd_timechart;

static void refuse(const char **words)
{
	struct option_words line = { 0, (char **)(uintptr_t)words }; /* reordered, not written */
	void *options = mem_zalloc(cmd_timechart.options_size);
	struct err err = { 0 };

	while (words[line.argc])
		line.argc++;
	if (cmd_timechart.defaults)
		cmd_timechart.defaults(options);
	assert_int_equal(option_parse(&cmd_timechart, &line, options, &err), 0);
	assert_int_equal(cmd_timechart.run(options, line.argc, line.argv, &err), EXIT_STATUS_USAGE);
	assert_true(err.msg[0]);
	option_done(cmd_timechart.options, options);
	free(options);
}

static void test_timechart__refuses(void **state)
{
	(void)state;
	refuse((const char *[]){ "timechart", "-P", "-T", NULL });
	refuse((const char *[]){ "timechart", "-P", "-I", NULL });
	refuse((const char *[]){ "timechart", "one", "two", NULL });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timechart__refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
