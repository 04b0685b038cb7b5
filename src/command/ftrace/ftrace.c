/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel ftrace: the commands of the kernel's own tracers. */
#include "command/command.h"

/* A new one: one line here and one in the array. */
extern const struct command cmd_ftrace_latency;
extern const struct command cmd_ftrace_profile;
extern const struct command cmd_ftrace_trace;

static const struct command *const commands[] = {
	&cmd_ftrace_trace,
	&cmd_ftrace_latency,
	&cmd_ftrace_profile,
	NULL,
};

const struct command cmd_ftrace = {
	.name = "ftrace",
	.args = "[trace|latency|profile] [options] [-- program arguments]",
	.summary = "trace functions and events of the kernel with its own tracers",
	.sub = commands,
	.otherwise = &cmd_ftrace_trace,
};
