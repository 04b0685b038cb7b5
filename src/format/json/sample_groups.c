/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples by event and thread (see sample_groups.h). */
#include "format/json/sample_groups.h"

#include "base/arena.h"
#include "base/map.h"

void sample_groups_make(const struct profile *profile, struct sample_groups *ret)
{
	struct map known = { 0 }; /* event, thread → index in groups */

	*ret = (struct sample_groups){ 0 };
	ret->next = mem_zalloc((profile->samples.count + 1) * sizeof(*ret->next));
	for (uint32_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];
		struct sample_group *group;
		uint64_t *place;
		bool added;

		if (!s->count)
			continue;
		place = map_add(&known, (uint64_t)s->event << 32 | s->thread.v, &added);
		if (added) {
			*place = ret->groups.count;
			vec_push(&ret->groups,
				 ((struct sample_group){
					 .event = s->event, .thread = s->thread, .first = i + 1 }));
		}
		group = &ret->groups.item[*place];
		if (group->last)
			ret->next[group->last - 1] = i + 1;
		group->last = i + 1;
		group->weight += s->weight;
	}
	map_done(&known);
}

void sample_groups_done(struct sample_groups *groups)
{
	vec_done(&groups->groups);
	free(groups->next);
	groups->next = NULL;
}
