/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile merged by name into the tree that a flame graph draws (flame_tree.h). */
#ifndef VIEW_FLAME_FLAME_MERGE_H
#define VIEW_FLAME_FLAME_MERGE_H

#include <stddef.h>

struct err;
struct flame_graph_options;
struct flame_tree;
struct profile;

/* What can be told of the options without a profile. */
int flame_tree_check(const struct flame_graph_options *options, struct err *err);
/* A profile with the events "before" and "after" (folded text with two columns) becomes a tree that
 * compares, unless an event was asked for. */
int flame_tree_build(const struct profile *profile, const struct flame_graph_options *options,
		     struct flame_tree *ret, struct err *err);
/* The same of at most about `most` nodes (see flame_prune.h), without ordering those that go. */
int flame_tree_build_pruned(const struct profile *profile,
			    const struct flame_graph_options *options, size_t most,
			    struct flame_tree *ret, struct err *err);
void flame_tree_done(struct flame_tree *tree);

#endif
