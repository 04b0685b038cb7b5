/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text lines of a flame graph: what was recorded, and what is missing from the picture. Only
 * facts of the profile; unknown ones are omitted. */
#ifndef VIEW_FLAME_FACTS_H
#define VIEW_FLAME_FACTS_H

#include "base/buf.h"

struct flame_graph_options;
struct flame_layout;
struct flame_tree;
struct profile;

struct flame_facts {
	struct buf title;    /* the user's, else the command */
	struct buf about;    /* "cpu-clock · 1,234 samples · 12.3 s"; may be empty */
	struct buf missing;  /* "3 samples lost · 12% of stacks incomplete"; empty = nothing is */
	struct buf hint;     /* what widths mean and where to look first */
	struct buf remedies; /* lines: what helps against what is missing */
};

/* The title where there is no better one. */
const char *flame_title(const struct flame_graph_options *options);
/* layout: NULL if nothing is too small to draw. */
void flame_facts_collect(const struct profile *profile, const struct flame_tree *tree,
			 const struct flame_graph_options *options,
			 const struct flame_layout *layout, struct flame_facts *ret);
/* Only the first, of the events that tree->events has. */
void flame_facts_about(const struct profile *profile, const struct flame_tree *tree,
		       const struct flame_graph_options *options, struct buf *ret);
/* The weight of frames that the tree has only gathered, so that no search finds them. */
uint64_t flame_facts_gathered(const struct flame_tree *tree);
/* What counts are counts of. */
const char *flame_count_name(const struct profile *profile, const struct flame_tree *tree,
			     const struct flame_graph_options *options);
/* What one sample drawn adds to the width, on average of the effective ones
 * (profile/share_interval.h); 0 = there are no intervals. */
double flame_sample_width(const struct profile *profile, const struct flame_tree *tree,
			  const struct flame_graph_options *options);
void flame_facts_done(struct flame_facts *facts);

#endif
