/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of the functions of a flame graph, where frames know them (struct flame_line). */
#ifndef VIEW_FLAME_FLAME_LINES_H
#define VIEW_FLAME_FLAME_LINES_H

#include <stdint.h>

struct flame_tree;
struct profile;

/* Fills tree->lines, by label, and tree->source, by file, of the events drawn. label_of: by frame,
 * UINT32_MAX = not drawn. */
void flame_lines_collect(const struct profile *profile, const uint32_t *label_of,
			 struct flame_tree *tree);

#endif
