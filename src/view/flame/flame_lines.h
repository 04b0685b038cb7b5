/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of the functions of a flame graph, where frames know them: how much each weighs
 * itself, and with what it called. */
#ifndef VIEW_FLAME_FLAME_LINES_H
#define VIEW_FLAME_FLAME_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"

struct flame_tree;
struct profile;

struct flame_line {
	uint32_t label; /* of the function */
	string_id file; /* in tree->names */
	uint32_t line;
	uint64_t self, total; /* a stack counts once, however often the line is in it */
};

/* What stands in a line, where the profile has it. */
struct flame_source {
	string_id file; /* in tree->names */
	uint32_t line;
	const char *text; /* the profile's */
};

/* Fills tree->lines, by label, and tree->source, by file, of the events drawn. label_of: by frame,
 * UINT32_MAX = not drawn. */
void flame_lines_collect(const struct profile *profile, const uint32_t *label_of,
			 struct flame_tree *tree);

#endif
