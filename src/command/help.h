/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `cupel` and `cupel help` print. */
#ifndef COMMAND_HELP_H
#define COMMAND_HELP_H

#include <stdbool.h>

struct buf;
struct command;

void help_map(struct buf *ret);	     /* questions and the commands that answer them */
void help_overview(struct buf *ret); /* all commands */
/* What scripts of completion ask perf for: --list-cmds and --list-opts, of a command or of all
 * (NULL), which also knows --exec-path. False if the word is none of these. */
bool help_answer(const struct command *command, const char *word, struct buf *ret);

#endif
