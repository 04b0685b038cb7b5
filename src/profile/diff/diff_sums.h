/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums for the tests of a comparison (see significance.h): weights of every path and function of
 * one side, and their variance over blocks of time or over runs. Private to the comparison
 * (diff.h). */
#ifndef PROFILE_DIFF_SUMS_H
#define PROFILE_DIFF_SUMS_H

#include "profile/diff/diff_merge.h"

struct diff_sums {
	struct side_sums side;
	uint64_t samples, raw_weight;
	uint64_t *weight[2];		       /* of nodes: inclusive, self */
	struct share_sums *node[2], *label[2]; /* inclusive, self */
};

/* What sums are taken over. */
struct diff_sums_spec {
	const struct diff_runs *runs;
	int side;
	const struct call_tree *tree;
	size_t labels;
	enum share_kind kind;
	double run_unit; /* AMOUNTS: weight of one run that is a share of 1; 0 = own mean */
};

void diff_sums_make(const struct diff_sums_spec *spec, struct diff_sums *ret);
void diff_sums_done(struct diff_sums *sums);

#endif
