/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wakeup that ended a wait. Samples of off-CPU time and of wakeups of one recording belong
 * together when they have the same time and weight (bpf/off_cpu.h). */
#ifndef PROFILE_WAKEUPS_H
#define PROFILE_WAKEUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct profile;
struct profile_sample;

/* Zero it before use. */
struct wakeups {
	struct map by_moment; /* hash of time and weight → index of the sample */
};

/* The profile must know times (PROFILE_KEEP_TIME). */
void wakeups_list(struct wakeups *wakeups, const struct profile *profile);
/* The index of its sample; returns false if unknown. */
bool wakeups_find(const struct wakeups *wakeups, const struct profile_sample *wait,
		  uint32_t *ret_sample);
void wakeups_done(struct wakeups *wakeups);

/* Whether the sample is a wait, not a wakeup or a sample of another event. */
bool sample_is_wait(const struct profile *profile, const struct profile_sample *sample);

#endif
