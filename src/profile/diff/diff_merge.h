/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks of several profiles as one tree, merged by frame names, so that equal paths share a
 * node. Private to the comparison (diff.h). */
#ifndef PROFILE_DIFF_MERGE_H
#define PROFILE_DIFF_MERGE_H

#include "profile/call_tree.h"
#include "profile/diff/diff.h"

/* One profile of one side. */
struct diff_run {
	const struct profile *profile;
	uint64_t factor;	  /* makes weights the same fractions of the unit in all runs */
	bool *events;		  /* by index: compared? */
	double sample_weight;	  /* weight of one sample; see sample_weight.h */
	uint32_t *node_of_sample; /* in the merged tree; by index of the sample */
};

struct diff_runs {
	struct diff_run *run[2];
	size_t count[2];
	bool by_samples;
	bool uncounted; /* the number of samples is unknown in some run */
	uint32_t scale; /* weights times factor are in 1/scale of the unit */
};

/* Picks events and the measure. */
int diff_runs_open(const struct diff_input *input, const struct diff_options *options,
		   struct diff_runs *ret, struct err *err);
/* Makes ret's labels and names, and the tree; siblings are sorted by name. */
void diff_merge(struct diff_runs *runs, const struct diff_options *options, struct diff *ret,
		struct call_tree *ret_tree);
/* Nodes of the merged tree, without amounts. */
void diff_copy_nodes(const struct call_tree *tree, struct diff *ret);
/* Event, unit, scale and measure. */
void diff_describe(const struct diff_runs *runs, struct diff *ret);
void diff_runs_done(struct diff_runs *runs);

#endif
