/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `cupel diff --json`, version 1: every tested path a row. Fields are only ever added. */
#ifndef VIEW_DIFF_JSON_H
#define VIEW_DIFF_JSON_H

#include <stddef.h>

struct buf;
struct diff;

/* One document of several comparisons, one per event; warnings as in view/diff/diff_warning.h, one
 * per line. */
void diff_json(const struct diff *const *diffs, size_t count, const char *warnings,
	       struct buf *ret);

#endif
