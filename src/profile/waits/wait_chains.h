/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits with their causes: the stack of a wait is followed by the stack of its waker, then by the
 * stack in which the waker itself waited meanwhile, and so on. The time of a wait is divided, never
 * counted twice: time in which the waker did not wait belongs to the waker. Built from the off-CPU
 * and wakeup samples of one recording (see wakeups.h). */
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

/* Adds the event WAIT_CHAINS_EVENT with the weight of all waits. The profile must have times, CPUs
 * (PROFILE_KEEP_TIME, PROFILE_KEEP_CPU) and threads. Returns the number of wakeups; 0: only the
 * waits are known. */
size_t wait_chains_add(struct profile *profile, const struct wait_chains_options *options);

#endif
