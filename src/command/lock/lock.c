/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel lock: who waits for which lock, and who holds it. Without a subcommand it watches. */
#include "command/command.h"

/* A new one: one line here and one in the array. */
extern const struct command cmd_lock_watch;

static const struct command *const commands[] = {
	&cmd_lock_watch,
	NULL,
};

const struct command cmd_lock = {
	.name = "lock",
	.args = "[watch] [options] [-- program arguments]",
	.summary = "show who waits for which lock, and what its holder does meanwhile",
	.sub = commands,
	.otherwise = &cmd_lock_watch,
};
