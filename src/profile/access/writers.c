/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of words (see writers.h). */
#include "profile/access/writers.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define PREFIX "mem:"

static bool word_of(const struct profile *profile, uint16_t event, uint64_t *ret)
{
	const char *name = profile_string(profile, profile->events.item[event].name);

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return false;
	*ret = strtoull(name + strlen(PREFIX), NULL, 0);
	return true;
}

static int in_order(const void *a, const void *b)
{
	const struct writer *x = a, *y = b;

	if (x->word != y->word)
		return x->word < y->word ? -1 : 1;
	if (x->hits != y->hits)
		return x->hits > y->hits ? -1 : 1;
	if (x->thread.v != y->thread.v)
		return x->thread.v < y->thread.v ? -1 : 1;
	return x->stack.v < y->stack.v ? -1 : x->stack.v > y->stack.v;
}

void writers_sum_up(const struct profile *profile, struct writers *ret)
{
	struct map row_of = { 0 };

	*ret = (struct writers){ 0 };
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];
		struct writer writer = { .thread = s->thread, .stack = s->stack, .stop = s->stop };
		uint64_t *index, key;
		bool added;

		if (!word_of(profile, s->event, &writer.word))
			continue;
		key = hash_u64((uint64_t)s->stack.v << 32 | s->thread.v) ^ writer.word;
		index = map_add(&row_of, key, &added);
		if (added) {
			*index = ret->item.count;
			vec_push(&ret->item, writer);
		}
		ret->item.item[*index].hits += s->count;
		ret->hits += s->count;
	}
	if (ret->item.count)
		qsort(ret->item.item, ret->item.count, sizeof(*ret->item.item), in_order);
	map_done(&row_of);
}

void writers_done(struct writers *writers)
{
	vec_done(&writers->item);
}

enum sharing writers_sharing(const struct profile *profile, const struct writers *writers)
{
	enum sharing ret = SHARING_NONE;

	for (size_t i = 0; i < writers->item.count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct writer *a = &writers->item.item[i];
			const struct writer *b = &writers->item.item[k];

			if (profile->threads.item[a->thread.v].tid ==
			    profile->threads.item[b->thread.v].tid)
				continue;
			if (a->word != b->word)
				return SHARING_FALSE;
			ret = SHARING_TRUE;
		}
	return ret;
}
