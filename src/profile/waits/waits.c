/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of waits (see waits.h). */
#include "profile/waits/waits.h"

#include <stdlib.h>
#include <string.h>

#include "profile/waits/wakeups.h"

#define NOBODY ((thread_id){ PROFILE_NO_ID })

struct collector {
	const struct profile *profile;
	struct waits *waits;
	struct wakeups wakeups;
	struct map names; /* string of a thread's name → the first thread of that name */
};

/* One thread for all of a name. */
static thread_id namesake(struct collector *collector, thread_id thread)
{
	bool added;
	uint64_t *place;

	if (thread.v == PROFILE_NO_ID)
		return thread;
	place = map_add(&collector->names, collector->profile->threads.item[thread.v].comm.v,
			&added);
	if (added)
		*place = thread.v;
	return (thread_id){ (uint32_t)*place };
}

static void add(struct waits *waits, const struct waits_row *row)
{
	const uint32_t key[] = { row->thread.v, row->waker.v, row->stack.v, row->waker_stack.v };
	bool added;
	uint64_t *place = map_add(&waits->by_key, hash_bytes(key, sizeof(key)), &added);

	if (added) {
		*place = waits->row.count;
		vec_push(&waits->row, *row);
	} else {
		waits->row.item[*place].ns += row->ns;
	}
	waits->ns += row->ns;
}

static void add_sleeper(struct collector *collector, const struct profile_sample *sample)
{
	const struct profile *profile = collector->profile;
	struct waits_row row = { sample->thread, NOBODY, sample->stack, STACK_EMPTY,
				 sample->weight };
	uint32_t index;

	if (collector->waits->by != WAITS_BY_SLEEPER &&
	    wakeups_find(&collector->wakeups, sample, &index)) {
		row.waker = profile->samples.item[index].thread;
		row.waker_stack = profile->samples.item[index].stack;
	}
	if (collector->waits->by == WAITS_BY_WAKER) {
		row.thread = namesake(collector, row.thread);
		row.waker = namesake(collector, row.waker);
		row.stack = STACK_EMPTY;
	}
	add(collector->waits, &row);
}

static int compare(const void *a, const void *b)
{
	const struct waits_row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->thread.v != y->thread.v)
		return x->thread.v < y->thread.v ? -1 : 1;
	return x->stack.v < y->stack.v ? -1 : x->stack.v > y->stack.v;
}

bool waits_has(const struct profile *profile, const struct profile_sample *sample, const char *comm)
{
	string_id name = profile->threads.item[sample->thread.v].comm;

	return sample_is_wait(profile, sample) &&
	       (!comm || strcmp(profile_string(profile, name), comm) == 0);
}

void waits_collect(const struct profile *profile, const struct waits_selection *selection,
		   struct waits *ret)
{
	struct collector collector = { .profile = profile, .waits = ret };

	*ret = (struct waits){ .by = selection->by };
	if (ret->by != WAITS_BY_SLEEPER)
		wakeups_list(&collector.wakeups, profile);
	for (size_t i = 0; i < profile->samples.count; i++)
		if (waits_has(profile, &profile->samples.item[i], selection->comm))
			add_sleeper(&collector, &profile->samples.item[i]);
	if (ret->row.count)
		qsort(ret->row.item, ret->row.count, sizeof(*ret->row.item), compare);
	wakeups_done(&collector.wakeups);
	map_done(&collector.names);
}

void waits_done(struct waits *waits)
{
	vec_done(&waits->row);
	map_done(&waits->by_key);
}
