/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel help: the list of commands, or the help of one; also the machine-made parts of the man
 * pages and the shell completions. */
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/help.h"
#include "command/option.h"

struct help_options {
	const char *man;
};

static const struct option_def help_rows[] = {
	{ "man", 0, OPT_STR, "COMMAND", OPT(help_options, man),
	  "print the OPTIONS section of a command's man page" },
	{ 0 },
};

void help_overview(struct buf *ret)
{
	const struct command *const *all = command_all();

	(void)buf_puts(ret, "usage: cupel COMMAND [options] [-- program args]\n\n"
			    "says where the time of a running Linux system goes\n\n");
	for (; *all; all++)
		if (!(*all)->hidden)
			(void)buf_printf(ret, "  %-16s%s\n", (*all)->name, (*all)->summary);
	(void)buf_puts(ret, "\nSee 'cupel COMMAND --help' for the options of a command.\n");
}

static int help_run(void *options, int argc, char **argv, struct err *err)
{
	const struct help_options *o = options;
	const char *name = o->man ? o->man : argc ? argv[0] : NULL;
	const struct command *command = NULL;
	struct buf text = { 0 };
	int ret;

	if (argc > 1 || (argc && o->man))
		return command_usage(err, "one command at a time");
	if (name) {
		ret = command_require(name, &command, err);
		if (ret)
			return EXIT_STATUS_USAGE;
	}
	if (!command)
		help_overview(&text);
	else if (o->man)
		option_man(command, &text);
	else
		option_help(command, &text);
	ret = command_write_output(NULL, &text, err);
	buf_done(&text);
	return ret ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_help = {
	.name = "help",
	.args = "[command]",
	.summary = "list the commands, or show the options of one",
	.options = help_rows,
	.options_size = sizeof(struct help_options),
	.run = help_run,
};
