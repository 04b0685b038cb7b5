/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of waits for locks (see lock_samples.h). */
#include "profile/lock/lock_samples.h"

#include <string.h>

#include "profile/lock/lock_place.h"

bool lock_words(const struct profile *profile, const struct profile_sample *sample, void *ret,
		size_t size)
{
	const uint64_t *word = profile->values.item;
	size_t count = profile->values.count;

	if (sample->addr >= count || word[sample->addr] * 8 < size ||
	    count - sample->addr - 1 < size / 8)
		return false;
	memcpy(ret, &word[sample->addr + 1], size);
	return true;
}

bool lock_sample_is(const struct profile *profile, const struct profile_sample *sample,
		    enum event_kind kind)
{
	return profile->events.item[sample->event].kind == kind;
}

void lock_samples_list(struct lock_samples *samples, const struct profile *profile)
{
	struct lock_wait_data data;
	struct lock_stack_data stack;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		bool waiter = lock_sample_is(profile, sample, EVENT_KIND_LOCK_WAIT);

		if ((!waiter && !lock_sample_is(profile, sample, EVENT_KIND_LOCK_HOLDER)) ||
		    !lock_words(profile, sample, &stack, sizeof(stack)))
			continue;
		if (!waiter)
			map_set(&samples->holders, stack.number, i);
		else if (!lock_words(profile, sample, &data, sizeof(data)))
			map_set(&samples->stacks, stack.number, i);
	}
}

void lock_samples_done(struct lock_samples *samples)
{
	map_done(&samples->stacks);
	map_done(&samples->holders);
}

/* Its own, or that of the sample with the number. */
static stack_id stack_of(const struct lock_samples *samples, const struct profile *profile,
			 const struct profile_sample *sample, uint64_t raw_number)
{
	uint64_t index;

	if (raw_number)
		return map_get(&samples->stacks, raw_number, &index)
			       ? lock_trim(profile, profile->samples.item[index].stack)
			       : STACK_EMPTY;
	return lock_trim(profile, sample->stack);
}

stack_id lock_samples_stack(const struct lock_samples *samples, const struct profile *profile,
			    const struct profile_sample *wait, const struct lock_wait_data *data)
{
	return stack_of(samples, profile, wait,
			data->key.flags & LOCK_RAW_STACK ? data->key.stack : 0);
}

const struct profile_sample *lock_samples_holder(const struct lock_samples *samples,
						 const struct profile *profile,
						 const struct lock_wait_data *data)
{
	uint64_t index;

	return data->key.holder_tid && map_get(&samples->holders, data->number, &index)
		       ? &profile->samples.item[index]
		       : NULL;
}

stack_id lock_samples_holder_stack(const struct lock_samples *samples,
				   const struct profile *profile,
				   const struct profile_sample *holder,
				   const struct lock_wait_data *data)
{
	if (!data->key.holder_stack)
		return STACK_EMPTY;
	return stack_of(samples, profile, holder,
			data->key.flags & LOCK_RAW_HOLDER ? data->key.holder_stack : 0);
}
