/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to view/c2c/: tables with the columns of perf c2c. */
#ifndef VIEW_C2C_C2C_LINE_H
#define VIEW_C2C_C2C_LINE_H

#include "profile/c2c/c2c.h"
#include "view/c2c/c2c_view.h"

/* The table of lines, and below it the entries of each. */
void c2c_put_lines(const struct c2c_view *view, struct buf *out);
void c2c_put_entries(const struct c2c_view *view, struct buf *out);

/* What the entry's code is; NULL = unknown. */
const struct frame *c2c_entry_frame(const struct profile *profile, const struct c2c_entry *entry);

#endif
