/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks and bytes in the tables of memory: a stack in a line of text or in JSON, innermost first,
 * and bytes with a unit. */
#ifndef VIEW_STACK_LINE_H
#define VIEW_STACK_LINE_H

#include "profile/profile.h"

struct buf;

/* "malloc < main (a.c:12) < _start", lines where frames have them, with why it ends if that is not
 * the root, and a newline. */
void stack_line_put(const struct profile *profile, stack_id stack, enum stack_stop stop,
		    struct buf *out);
/* [{"function","module","file","line","inlined"}], with the brackets. */
void stack_line_put_json(const struct profile *profile, stack_id stack, struct buf *out);
/* "12.3 MiB", with so many characters before the unit. */
void bytes_put(double bytes, int width, struct buf *out);

#endif
