/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal of `cupel top`: another screen without a cursor, and keys without echo. What is
 * shown is written by a thread, because a stopped terminal must not stop the draining of the rings.
 */
#ifndef COMMAND_TOP_TOP_TERMINAL_H
#define COMMAND_TOP_TOP_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "command/async_output.h"

struct err;

/* All zero = not open. */
struct top_terminal {
	struct async_output *output; /* also of text */
	bool taken;		     /* standard output is a terminal, and ours */
	struct termios before, raw;
};

/* take: the screen, if there is one; else what is shown is text. */
int top_terminal_open(struct top_terminal *terminal, bool take, struct err *err);
/* All that is shown is written then. */
int top_terminal_close(struct top_terminal *terminal, struct err *err);
/* Gives the terminal back, stops until the user continues, and takes it again. */
int top_terminal_stop(struct top_terminal *terminal, struct err *err);
/* Takes it again after another program has used it. */
int top_terminal_enter(struct top_terminal *terminal, struct err *err);

#endif
