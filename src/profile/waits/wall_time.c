/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wall-clock time of threads (see wall_time.h). */
#include "profile/waits/wall_time.h"

#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"

bool wall_time_add(struct profile *profile)
{
	VEC(struct profile_sample) added = { 0 };
	uint16_t event, on, off;

	if (!profile_find_kind(profile, EVENT_KIND_CPU_TIME, &on) ||
	    !profile_find_kind(profile, EVENT_KIND_OFF_CPU, &off))
		return false;
	event = profile_event(profile, WALL_TIME_EVENT, "ns");
	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample sample = profile->samples.item[i];

		if (sample.event != off &&
		    (sample.event != on || !profile->threads.item[sample.thread.v].tid))
			continue;
		sample.event = event;
		vec_push(&added, sample);
	}
	profile_add_all(profile, added.item, added.count);
	profile_count(profile);
	vec_done(&added);
	return true;
}
