/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The overview that `cupel` and `cupel help` print. */
#ifndef COMMAND_HELP_H
#define COMMAND_HELP_H

struct buf;

void help_overview(struct buf *ret);

#endif
