/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packed input read a piece at a time, so that memory holds what readers make of it, not the
 * unpacked bytes, which may be a thousand times the file. For inputs with input_rewinds(). */
#ifndef FORMAT_INPUT_WINDOW_H
#define FORMAT_INPUT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct err;
struct input;

#define INPUT_WINDOW_BYTES ((size_t)1 << 20)

struct input_window {
	struct input *input;
	struct buf bytes; /* from the first one that is not used on */
	bool ended;	  /* nothing follows */
};

/* Starts at the beginning of the input. */
int input_window_open(struct input_window *window, struct input *input, struct err *err);
/* Drops bytes at the front and adds some at the end. */
int input_window_fill(struct input_window *window, size_t used, struct err *err);
/* Leaves the input at its beginning. */
void input_window_close(struct input_window *window);

#endif
