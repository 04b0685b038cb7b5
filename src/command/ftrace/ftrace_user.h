/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel ftrace -x: calls of a program's functions, nested, with durations. */
#ifndef COMMAND_FTRACE_USER_H
#define COMMAND_FTRACE_USER_H

struct err;
struct ftrace_command;

/* Returns as run() of struct command. Without a target it lists the functions. */
int ftrace_user_run(struct ftrace_command *command, char **argv, struct err *err);

#endif
