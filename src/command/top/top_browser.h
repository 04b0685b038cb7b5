/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The panes of the full-screen report in `cupel top`, over the samples so far. They are drawn as
 * text with the escape sequences of ECMA-48, because top writes to its terminal without waiting for
 * it. */
#ifndef COMMAND_BROWSER_TOP_BROWSER_H
#define COMMAND_BROWSER_TOP_BROWSER_H

#include <stdint.h>

struct buf;
struct profile;
struct report_options;
struct top_browser;
struct top_recording;

struct top_browser_input {
	struct profile *profile;	     /* taken over */
	struct top_recording *recording;     /* of the same samples; taken over */
	const struct report_options *report; /* checked; copied */
};

struct top_browser *top_browser_open(const struct top_browser_input *input);
/* Opens the code of a function. */
void top_browser_annotate(struct top_browser *browser, const char *function);
void top_browser_free(struct top_browser *browser); /* NULL is fine */
/* A key of top_keys.h. When the user leaves, it is freed, and *browser becomes NULL. */
void top_browser_key(struct top_browser **browser, int key);
/* All of the screen. */
void top_browser_draw(struct top_browser *browser, uint32_t rows, uint32_t columns,
		      struct buf *ret);

#endif
