/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shell completions made from the option tables of all commands. */
#ifndef COMMAND_COMPLETION_H
#define COMMAND_COMPLETION_H

struct buf;

void completion_bash(struct buf *ret);
void completion_zsh(struct buf *ret);

#endif
