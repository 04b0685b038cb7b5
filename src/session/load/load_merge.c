/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adding samples again (see load_merge.h). */
#include "session/load/load_merge.h"

#include "profile/profile.h"

void load_merge(struct profile *profile, unsigned keep)
{
	VEC(struct profile_sample) samples = { 0 };

	samples.item = profile->samples.item;
	samples.count = profile->samples.count;
	profile->samples.item = NULL;
	profile->samples.count = profile->samples.capacity = 0;
	profile->keep = keep;
	for (size_t i = 0; i < profile->events.count; i++) {
		struct profile_event *event = &profile->events.item[i];

		event->samples = event->weight = 0;
		event->squares = 0;
		for (size_t stop = 0; stop < STACK_STOP_COUNT; stop++)
			event->stop[stop] = 0;
	}
	profile_add_all(profile, samples.item, samples.count);
	vec_done(&samples);
}
