/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal as a screen of styled lines (view/browser/cells.h). The only module that uses
 * ncurses. The terminal is as it was before after screen_close(), also when the program crashes or
 * reaches its memory limit meanwhile. One screen at a time. Colours follow NO_COLOR and what the
 * terminal can do. */
#ifndef COMMAND_BROWSER_SCREEN_H
#define COMMAND_BROWSER_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

struct cells;
struct err;
struct screen;

/* Whether standard input and output are a terminal that can show a screen. */
bool screen_possible(void);
int screen_open(struct screen **ret, struct err *err);
void screen_close(struct screen *screen); /* NULL is fine */
/* Back to the lines before, for messages, until the next screen_draw(). */
void screen_leave(struct screen *screen);
/* Takes the terminal's size anew. */
void screen_measure(struct screen *screen, uint32_t *ret_rows, uint32_t *ret_columns);
/* cursor: its column in the last line; UINT32_MAX = none. */
void screen_draw(struct screen *screen, const struct cells *lines, uint32_t rows, uint32_t cursor);
/* The next key that was pressed, as browser_keys.h has them; BROWSER_KEY_NONE = none. */
int screen_key(struct screen *screen);

#endif
