/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wall-clock time of threads (see wall_time.h). */
#include "profile/waits/wall_time.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"
#include "profile/profile.h"

#define NO_EVENT SIZE_MAX

/* With modifiers, if any: "cpu-clock:u". */
static size_t find_event(const struct profile *profile, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < profile->events.count; i++) {
		const char *full = profile_string(profile, profile->events.item[i].name);

		if (strncmp(full, name, len) == 0 && (full[len] == '\0' || full[len] == ':'))
			return i;
	}
	return NO_EVENT;
}

bool wall_time_add(struct profile *profile)
{
	size_t on = find_event(profile, "cpu-clock"), off = find_event(profile, "offcpu-time");
	VEC(struct profile_sample) added = { 0 };
	uint16_t event;

	if (on == NO_EVENT)
		on = find_event(profile, "task-clock");
	if (on == NO_EVENT || off == NO_EVENT)
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
