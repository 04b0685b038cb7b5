/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel version: which cupel this is and what it was built with. */
#include <stdio.h>

#include "command/command.h"
#include "command/option.h"
#include "command/version.h"

struct version_options {
	bool build_options;
};

static const struct option_def version_rows[] = {
	{ "build-options", 0, OPT_FLAG, NULL, OPT(version_options, build_options),
	  "show what was built in and what this machine can do" },
	{ 0 },
};

void version_print(void)
{
	(void)printf("cupel version %s\n", CUPEL_VERSION);
}

static int version_run(void *options, int argc, char **argv, struct err *err)
{
	const struct version_options *o = options;

	if (argc)
		return command_usage(err, "unexpected word '%s'", argv[0]);
	version_print();
	if (o->build_options)
		(void)printf("%16s: %s\n", "compiler", __VERSION__);
	return EXIT_STATUS_OK;
}

const struct command cmd_version = {
	.name = "version",
	.args = "[options]",
	.summary = "show the version and what was built in",
	.options = version_rows,
	.options_size = sizeof(struct version_options),
	.run = version_run,
};
