/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/waits/wakeups.h"

#include "profile/profile.h"

static bool is_kind(const struct profile *profile, const struct profile_sample *sample,
		    enum event_kind kind)
{
	return profile->events.item[sample->event].kind == kind;
}

static uint64_t moment_of(const struct profile_sample *sample)
{
	const uint64_t key[] = { sample->time_ns, sample->weight };

	return hash_bytes(key, sizeof(key));
}

void wakeups_list(struct wakeups *wakeups, const struct profile *profile)
{
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];

		if (is_kind(profile, sample, EVENT_KIND_WAKEUP))
			map_set(&wakeups->by_moment, moment_of(sample), i);
	}
}

bool wakeups_find(const struct wakeups *wakeups, const struct profile_sample *wait,
		  uint32_t *ret_sample)
{
	uint64_t index;

	if (!map_get(&wakeups->by_moment, moment_of(wait), &index))
		return false;
	*ret_sample = (uint32_t)index;
	return true;
}

void wakeups_done(struct wakeups *wakeups)
{
	map_done(&wakeups->by_moment);
}

bool sample_is_wait(const struct profile *profile, const struct profile_sample *sample)
{
	return is_kind(profile, sample, EVENT_KIND_OFF_CPU);
}
