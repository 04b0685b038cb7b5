/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel lock: who waits for which lock, and who holds it. Without a subcommand it watches. */
#include "command/command.h"

/* A new one: one line here and one in the array. */
extern const struct command cmd_lock_contention;
extern const struct command cmd_lock_info;
extern const struct command cmd_lock_record;
extern const struct command cmd_lock_report;
extern const struct command cmd_lock_watch;

static const struct command *const commands[] = {
	&cmd_lock_watch,      &cmd_lock_record, &cmd_lock_report,
	&cmd_lock_contention, &cmd_lock_info,	NULL,
};

const struct command cmd_lock = {
	.name = "lock",
	.args = "[watch|record|report|contention|info] [options] [-- program arguments]",
	.summary = "show who waits for which lock, and what its holder does",
	.sub = commands,
	.otherwise = &cmd_lock_watch,
};
