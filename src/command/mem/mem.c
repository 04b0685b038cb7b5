/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel mem: the commands about accesses to data. */
#include "command/command.h"

extern const struct command cmd_mem_look;
extern const struct command cmd_mem_record;
extern const struct command cmd_mem_report;

static const struct command *const commands[] = { &cmd_mem_look, &cmd_mem_record, &cmd_mem_report,
						  NULL };

const struct command cmd_mem = {
	.name = "mem",
	.args = "[record|report|look] [options] [-- program arguments]",
	.summary = "show which data a program waits for or writes",
	.sub = commands,
	.otherwise = &cmd_mem_look,
};
