/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When stacks that end at a node of a flame graph were seen first, in seconds from the recording's
 * start, so that siblings can be ordered by it. To a thousandth of the recording, which is enough
 * for pictures and takes little room when it is packed. */
#ifndef VIEW_FLAME_FLAME_FIRST_H
#define VIEW_FLAME_FLAME_FIRST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flame_tree;
struct profile;

#define FLAME_NO_NODE UINT32_MAX

/* Samples know it: PROFILE_KEEP_FIRST, and their source has times. */
bool flame_first_known(const struct profile *profile);
/* Fills tree->first: infinity for nodes without self samples. node: by sample, FLAME_NO_NODE: not
 * in the tree. */
void flame_first_note(const struct profile *profile, const uint32_t *node, struct flame_tree *tree);
/* Nodes have other numbers: by old number. */
void flame_first_move(struct flame_tree *tree, const uint32_t *node, size_t old_count);

#endif
