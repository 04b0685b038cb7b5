/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names on one side only (see diff_names.h). */
#include "profile/diff/diff_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"

#define LEAST_SHARE 0.01 /* of a side's samples, in frames of the module */
#define FEW_NAMED   0.1	 /* of its frames */
#define MANY_NAMED  0.5

struct counted {
	const char *name;
	double frames[2], named[2]; /* in samples */
};

struct counts {
	struct map by_name; /* hash → index + 1 */
	VEC(struct counted) modules;
	double samples[2];
};

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static size_t find_module(struct counts *counts, const char *name)
{
	bool added;
	uint64_t *at = map_add(&counts->by_name, hash_bytes(name, strlen(name)), &added);

	if (added) {
		vec_push(&counts->modules, ((struct counted){ .name = name }));
		*at = counts->modules.count;
	}
	return (size_t)*at - 1;
}

/* Frames of each module with a path, one for each sample that has them. */
static void count_profile(struct counts *counts, const struct profile *p, int side)
{
	double *samples = mem_zalloc((p->nodes.count + 1) * sizeof(*samples));
	size_t *module = mem_zalloc((p->modules.count + 1) * sizeof(*module));

	for (size_t i = 1; i < p->modules.count; i++)
		module[i] =
			find_module(counts, file_name(profile_string(p, p->modules.item[i].path)));
	for (size_t i = 0; i < p->samples.count; i++)
		samples[p->samples.item[i].stack.v] += (double)p->samples.item[i].count;
	for (size_t i = p->nodes.count; i-- > 1;) { /* children come after their parents */
		const struct stack_node *node = &p->nodes.item[i];
		const struct frame *frame = &p->frames.item[node->frame.v];
		struct counted *counted;

		samples[node->parent.v] += samples[i];
		if (!frame->module)
			continue;
		counted = &counts->modules.item[module[frame->module]];
		counted->frames[side] += samples[i];
		counted->named[side] += frame->function.v ? samples[i] : 0;
	}
	counts->samples[side] += samples[0];
	free(samples);
	free(module);
}

static bool is_one_sided(const struct counts *counts, const struct counted *m, int nameless)
{
	return m->frames[0] >= LEAST_SHARE * counts->samples[0] &&
	       m->frames[1] >= LEAST_SHARE * counts->samples[1] &&
	       m->named[nameless] < FEW_NAMED * m->frames[nameless] &&
	       m->named[!nameless] > MANY_NAMED * m->frames[!nameless];
}

bool diff_names_one_sided(const struct diff_input *input, const char **ret_name,
			  enum diff_side *ret_nameless)
{
	struct counts counts = { 0 };
	double most = 0;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < input->count[side]; i++)
			count_profile(&counts, input->runs[side][i], side);
	for (size_t i = 0; i < counts.modules.count; i++)
		for (int side = 0; side < 2; side++) {
			const struct counted *m = &counts.modules.item[i];

			if (m->frames[side] <= most || !is_one_sided(&counts, m, side))
				continue;
			most = m->frames[side];
			*ret_name = m->name;
			*ret_nameless = side ? DIFF_AFTER : DIFF_BEFORE;
		}
	map_done(&counts.by_name);
	vec_done(&counts.modules);
	return most > 0;
}
