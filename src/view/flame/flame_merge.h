/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile merged by name into the tree that a flame graph draws (flame_tree.h). */
#ifndef VIEW_FLAME_FLAME_MERGE_H
#define VIEW_FLAME_FLAME_MERGE_H

#include <stddef.h>

struct err;
struct flame_graph_options;
struct flame_tree;
struct profile;

/* Checks the options as far as possible without a profile. */
int flame_tree_check(const struct flame_graph_options *options, struct err *err);
/* Builds the tree. A profile with the events "before" and "after" (folded text with two columns)
 * becomes a comparison, unless an event is selected. */
int flame_tree_build(const struct profile *profile, const struct flame_graph_options *options,
		     struct flame_tree *ret, struct err *err);
/* The same with at most about `most` nodes (see flame_prune.h), without sorting removed ones. */
int flame_tree_build_pruned(const struct profile *profile,
			    const struct flame_graph_options *options, size_t most,
			    struct flame_tree *ret, struct err *err);
void flame_tree_done(struct flame_tree *tree);

#endif
