/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that is longer than the terminal, through a pager: CUPEL_PAGER, else PAGER, else less. Both
 * may be empty or "cat": none. `cupel --no-pager COMMAND`: none either. */
#ifndef COMMAND_PAGER_H
#define COMMAND_PAGER_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;

/* Writes text to standard output as command_write_output() does: through the pager if that is a
 * terminal with fewer lines. */
int pager_write_output(struct buf *text, struct err *err);
/* True if text of so many lines, with the terminal's `rows`, goes through this pager. */
bool pager_is_wanted(const char *pager, const char *term, size_t lines, size_t rows);

#endif
