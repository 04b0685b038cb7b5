/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits with what they were due to: on top of the stack that waited stands the stack of who ended
 * the wait, on that the stack with which the waker waited itself meanwhile, and so on. The time of
 * a wait is divided, never counted twice: what of it the waker did not wait is the waker's own.
 * Made from the samples of off-CPU time and of wake-ups of one recording (see wakeups.h). */
#ifndef PROFILE_WAIT_CHAINS_H
#define PROFILE_WAIT_CHAINS_H

#include <stdbool.h>
#include <stddef.h>

struct profile;

#define WAIT_CHAINS_EVENT "chain-time"

struct wait_chains_options {
	unsigned levels; /* of wakers; 0 = 8 */
	bool with_tids;	 /* in the names of wakers */
};

/* Adds the event WAIT_CHAINS_EVENT, whose weight is that of all waits. The profile must know times
 * and CPUs (PROFILE_KEEP_TIME, PROFILE_KEEP_CPU) and threads. Returns the number of wake-ups there
 * are: 0 = only the waits themselves are known. */
size_t wait_chains_add(struct profile *profile, const struct wait_chains_options *options);

#endif
