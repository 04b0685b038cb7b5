/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When nodes were seen first (see flame_first.h). */
#include "view/flame/flame_first.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "profile/profile.h"
#include "view/flame/flame_tree.h"

#define STEPS 1024 /* that can be distinguished */

bool flame_first_known(const struct profile *profile)
{
	return profile->keep & PROFILE_KEEP_FIRST && profile->meta.last_ns > profile->meta.first_ns;
}

static float *never(size_t count)
{
	float *first = mem_alloc((count + 1) * sizeof(*first));

	for (size_t i = 0; i < count; i++)
		first[i] = INFINITY;
	return first;
}

static void earlier(float *first, float at)
{
	if (at < *first)
		*first = at;
}

void flame_first_note(const struct profile *profile, const uint32_t *node, struct flame_tree *tree)
{
	uint64_t start = profile->meta.first_ns;
	double span = (double)(profile->meta.last_ns - start) / 1e9;
	double step = ldexp(1, (int)ceil(log2(span / STEPS))); /* few bits, which pack well */
	float *first = never(tree->nodes.count);

	for (size_t i = 0; i < profile->samples.count; i++) {
		uint64_t at = profile->samples.item[i].time_ns;

		if (node[i] != FLAME_NO_NODE && at >= start)
			earlier(&first[node[i]],
				(float)(floor((double)(at - start) / 1e9 / step) * step));
	}
	free(tree->first);
	tree->first = first;
}

void flame_first_move(struct flame_tree *tree, const uint32_t *node, size_t old_count)
{
	float *first = never(tree->nodes.count);

	for (size_t i = 0; i < old_count; i++)
		earlier(&first[node[i]], tree->first[i]);
	free(tree->first);
	tree->first = first;
}
