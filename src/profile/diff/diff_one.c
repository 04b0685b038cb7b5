/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A single profile in the form of a comparison, for views that compare its parts (see diff.h). */
#include <string.h>

#include "base/err.h"
#include "profile/diff/diff.h"
#include "profile/diff/diff_merge.h"

static void add_weights(const struct diff_run *run, bool by_samples, struct diff *diff)
{
	const struct profile *p = run->profile;
	struct diff_total *total = &diff->total[DIFF_AFTER];

	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *sample = &p->samples.item[i];
		struct diff_amount *self;

		if (!run->events[sample->event]) {
			run->node_of_sample[i] = UINT32_MAX;
			continue;
		}
		self = &diff->nodes.item[run->node_of_sample[i]].self;
		self->weight[DIFF_AFTER] += by_samples ? sample->count : sample->weight;
		total->samples += sample->count;
		total->weight += sample->weight;
	}
}

int diff_of_one(const struct profile *profile, const struct diff_options *options, struct diff *ret,
		uint32_t **ret_node, struct err *err)
{
	struct diff_input input = { .runs = { NULL, &profile }, .count = { 0, 1 } };
	struct call_tree tree;
	struct diff_runs runs;
	int r = diff_runs_open(&input, options, &runs, err);

	if (r)
		return r;
	*ret = (struct diff){ .names = strtab_new(), .kind = options->kind };
	diff_describe(&runs, ret);
	diff_merge(&runs, options, ret, &tree);
	diff_copy_nodes(&tree, ret);
	add_weights(&runs.run[DIFF_AFTER][0], runs.by_samples, ret);
	*ret_node = runs.run[DIFF_AFTER][0].node_of_sample;
	runs.run[DIFF_AFTER][0].node_of_sample = NULL;
	call_tree_done(&tree);
	diff_runs_done(&runs);
	return 0;
}
