/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's own commands before and after each run. */
#ifndef SESSION_STAT_STAT_RUN_COMMAND_H
#define SESSION_STAT_STAT_RUN_COMMAND_H

struct err;

/* Runs it as the shell reads it, and waits for it. NULL: nothing. -ECANCELED if it fails. */
int stat_run_command(const char *command, struct err *err);

#endif
