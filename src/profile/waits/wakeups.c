/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/waits/wakeups.h"

#include <string.h>

#include "profile/profile.h"

static bool is_event(const struct profile *profile, const struct profile_sample *sample,
		     const char *name)
{
	return strcmp(profile_string(profile, profile->events.item[sample->event].name), name) == 0;
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

		if (is_event(profile, sample, "wakeup-time"))
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
	return is_event(profile, sample, "offcpu-time");
}
