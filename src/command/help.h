/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `cupel` and `cupel help` print. */
#ifndef COMMAND_HELP_H
#define COMMAND_HELP_H

struct buf;

void help_map(struct buf *ret);	     /* questions and the commands that answer them */
void help_overview(struct buf *ret); /* all commands */

#endif
