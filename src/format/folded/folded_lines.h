/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of folded text, sorted by bytes, from a call tree. */
#ifndef FORMAT_FOLDED_LINES_H
#define FORMAT_FOLDED_LINES_H

#include <stdint.h>

struct buf;
struct call_tree;
struct strtab;

/* Appends "root;…;leaf weight" for each node with self weight. Labels of the tree are ids of
 * `names`; weights are in 1/scale. Returns -E2BIG if the buffer's limit is exceeded. */
int folded_lines(const struct call_tree *tree, const struct strtab *names, uint32_t scale,
		 struct buf *ret);

#endif
