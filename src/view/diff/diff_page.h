/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as a flame graph, with widths of before, after or both, and colours for changes: one
 * HTML page with the viewer of flame_html.h, or an SVG picture that is complete without scripts and
 * has FlameGraph's ids. */
#ifndef VIEW_DIFF_PAGE_H
#define VIEW_DIFF_PAGE_H

#include <stdbool.h>

struct buf;
struct diff;
struct err;

struct diff_page_options {
	const char *title;	    /* NULL = "Differential Flame Graph" */
	const char *before, *after; /* names of the sides */
	const char *warnings;	    /* one per line (diff_warning.h); NULL = none */
	bool hosted; /* a page of a server: its script and style are asset/diff_page.js and .css */
};

int diff_page(const struct diff *diff, const struct diff_page_options *options, struct buf *ret,
	      struct err *err);

int diff_svg(const struct diff *diff, const struct diff_page_options *options, struct buf *ret,
	     struct err *err);

#endif
