/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of a screen: text with styles, as wide as the screen at most. Panes write into it; the
 * module that owns the terminal draws it. All text is tidied (base/buf.h), so names from a profile
 * cannot command the terminal. */
#ifndef VIEW_BROWSER_CELLS_H
#define VIEW_BROWSER_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

enum cell_style {
	CELL_PLAIN,
	CELL_HOT,     /* a large share */
	CELL_WARM,    /* one worth a look */
	CELL_FAINT,   /* of little interest */
	CELL_TITLE,   /* the first line of the screen */
	CELL_HEADING, /* of columns */
	CELL_FOOT,    /* the last line */
	CELL_KEY,     /* a key in it */
	CELL_MATCH,   /* of a search */
	CELL_MARK,    /* the sign of a line that can be expanded */
	CELL_ADDRESS,
	CELL_SOURCE, /* a line of source code */
	CELL_STYLES,
};

/* From this byte on, to the next span or the end. */
struct cell_span {
	size_t from;
	enum cell_style style;
};

struct cells {
	struct buf text;
	VEC(struct cell_span) spans;
	uint32_t used, columns; /* cells of the terminal: in use, and in all */
	bool selected;		/* drawn with swapped colours over the whole width */
	enum cell_style rest;	/* of what is right of the text */
};

/* Cells that a string of UTF-8 takes. */
uint32_t cells_width(const char *text, size_t len);
void cells_clear(struct cells *line, uint32_t columns);
/* Appends what has room. */
void cells_put(struct cells *line, enum cell_style style, const char *text);
void cells_printf(struct cells *line, enum cell_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Appends the text in exactly `width` cells: cut, or padded on one side. */
void cells_put_in(struct cells *line, enum cell_style style, const char *text, uint32_t width);
void cells_put_right(struct cells *line, enum cell_style style, const char *text, uint32_t width);
/* Blanks up to that column. */
void cells_pad_to(struct cells *line, uint32_t column);
/* Gives all occurrences of the text the style of a match. */
void cells_mark(struct cells *line, const char *text);
/* The style of a share in percent, as in perf. */
enum cell_style cells_share_style(double percent);
void cells_done(struct cells *line);

#endif
