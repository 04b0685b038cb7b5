/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel kmem: the commands about the kernel's memory. */
#include "command/command.h"

extern const struct command cmd_kmem_record;
extern const struct command cmd_kmem_stat;

static const struct command *const commands[] = { &cmd_kmem_record, &cmd_kmem_stat, NULL };

const struct command cmd_kmem = {
	.name = "kmem",
	.args = "COMMAND [options]",
	.summary = "record and show where the kernel allocates memory",
	.sub = commands,
};
