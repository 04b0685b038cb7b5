/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel sched replay: invalid command lines fail before anything is done. */
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

extern const struct command cmd_sched_replay;

static void refuse(const char **words)
{
	struct option_words line = { 0, (char **)(uintptr_t)words }; /* reordered, not written */
	void *options = mem_zalloc(cmd_sched_replay.options_size);
	struct err err = { 0 };

	while (words[line.argc])
		line.argc++;
	if (cmd_sched_replay.defaults)
		cmd_sched_replay.defaults(options);
	assert_int_equal(option_parse(&cmd_sched_replay, &line, options, &err), 0);
	assert_int_equal(cmd_sched_replay.run(options, line.argc, line.argv, &err),
			 EXIT_STATUS_USAGE);
	assert_true(err.msg[0]);
	option_done(cmd_sched_replay.options, options);
	free(options);
}

static void test_sched_replay__refuses(void **state)
{
	(void)state;
	refuse((const char *[]){ "replay", "-r", "0", "one", "two", NULL });
	refuse((const char *[]){ "replay", "one", "two", NULL });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sched_replay__refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
