/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines in front of instructions, from jumps to where they go: single forwards, double backwards,
 * so that loops are outlined. Each jump has a lane; the shortest are next to the instructions. */
#ifndef VIEW_ANNOTATE_ARROWS_H
#define VIEW_ANNOTATE_ARROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct annotation;
struct buf;

#define ANNOTATE_LANES 8 /* jumps that cross more others are not drawn */

struct annotate_arrow {
	uint32_t first, last; /* rows */
	uint32_t lane;
	bool back;
};

struct annotate_arrows {
	VEC(struct annotate_arrow) list; /* by first row */
	uint32_t lanes;			 /* in use; a row's text has that many columns and two */
};

void annotate_arrows_find(const struct annotation *annotation, struct annotate_arrows *ret);
void annotate_arrows_done(struct annotate_arrows *arrows);
/* The columns of one row, in UTF-8. */
void annotate_arrows_put(const struct annotate_arrows *arrows, uint32_t row, struct buf *ret);

#endif
