/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of a terminal, from the bytes that it sends (xterm and its kin, ECMA-48), and a selection in
 * a list that is longer than its window. */
#ifndef COMMAND_TOP_KEYS_H
#define COMMAND_TOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters are themselves, at most 255. */
enum top_key {
	TOP_KEY_NONE = 256, /* an unknown sequence */
	TOP_KEY_UP,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_ENTER,
	TOP_KEY_ESCAPE,
	TOP_KEY_BACKSPACE,
};

/* The first key of some bytes, at least one; *used is how many it took. */
int top_key_read(const char *bytes, size_t len, size_t *used);

/* A page of the keys of `cupel top` and what they do, from page 0 on, with the next key in its last
 * line. True when there is another page. */
struct buf;
bool top_help_put(uint32_t columns, uint32_t rows, uint32_t page, struct buf *ret);
/* The sort keys that follow `order`. */
const char *top_next_order(const char *order);

struct top_cursor {
	uint32_t selected; /* line + 1; 0 = none */
	uint32_t first;	   /* line at the top of the window */
};

/* Moves by a key, in so many lines with `room` visible ones; other keys do nothing. */
void top_cursor_move(struct top_cursor *cursor, int key, uint32_t lines, uint32_t room);

#endif
