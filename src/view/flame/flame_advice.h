/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading advice for a flame graph: what its widths mean and where to look first, and what
 * helps against what is missing from it. */
#ifndef VIEW_FLAME_FLAME_ADVICE_H
#define VIEW_FLAME_FLAME_ADVICE_H

struct buf;
struct flame_graph_options;
struct flame_tree;
struct profile;

/* One sentence. */
void flame_advice_hint(const struct profile *profile, const struct flame_tree *tree,
		       const struct flame_graph_options *options, struct buf *ret);
/* One line for each thing that can be helped; they end in line feeds. */
void flame_advice_remedies(const struct profile *profile, const struct flame_tree *tree,
			   struct buf *ret);

#endif
