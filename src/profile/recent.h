/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile of a sliding window: each interval has its own profile; a new one replaces the oldest.
 * So the window contains only measured samples of a known time. */
#ifndef PROFILE_RECENT_H
#define PROFILE_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

#define RECENT_MOST 64

/* All zero is none yet; `most` is set by the owner. */
struct recent {
	size_t most; /* moments to keep, 1 to RECENT_MOST */
	size_t count;
	struct profile *moment[RECENT_MOST]; /* oldest first */
};

/* Takes the profile over. */
void recent_push(struct recent *recent, struct profile *moment);
void recent_clear(struct recent *recent);
/* All moments together, losses and durations as well. The caller's. */
struct profile *recent_sum(const struct recent *recent);

/* Parts that can be left out, selected by the leaf function. */
enum recent_part {
	RECENT_KERNEL,
	RECENT_USER,
	RECENT_IDLE, /* idle CPUs, in process 0 */
};

/* Samples of that part. */
uint64_t recent_count(const struct profile *profile, enum recent_part part);
/* Removes these samples and returns their number. Removed idle samples no longer count in the
 * events' sums; other removed parts still do, so shares refer to all CPU time. */
uint64_t recent_hide(struct profile *profile, enum recent_part part);

#endif
