/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second half of loading: turns samples with stacks of places into samples of the profile, a
 * batch at a time, on a separate thread while the next batch is filled. The filling thread must not
 * touch the profile before load_finish_wait(). */
#ifndef SESSION_LOAD_LOAD_FINISH_H
#define SESSION_LOAD_LOAD_FINISH_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"
#include "session/load/resolve.h"

struct load_finish;

/* Chains of one CPU are of one lane. */
#define LOAD_LANES 64

/* A stack: `count` numbers of places from `first` on, leaf first, called by the `same` outermost
 * places of the chain before in its lane. */
struct batch_chain {
	uint32_t first, count;
	uint32_t sample; /* the last one with it; UINT32_MAX = none */
	uint16_t same, lane;
};

/* A new thread; they are numbered from 0 in the order of all batches. */
struct batch_thread {
	uint32_t pid, tid;
	const char *comm; /* valid until the profile is loaded */
};

struct load_batch {
	uint32_t number;		    /* counts batches from 1 */
	VEC(struct profile_sample) samples; /* stack and thread: numbers of a chain, a thread */
	VEC(struct batch_chain) chains;
	VEC(uint32_t) places; /* of the resolver */
	VEC(struct batch_thread) threads;
	struct resolve_batch resolve;
	struct load_finish *finish;
};

struct load_finish *load_finish_new(struct profile *profile, struct resolver *resolver);
/* The batch to fill; empty. */
struct load_batch *load_finish_batch(struct load_finish *finish);
/* Hands the batch over and gives the next one; waits when too many are waiting. */
struct load_batch *load_finish_submit(struct load_finish *finish);
/* Returns when all that was handed over is in the profile. */
void load_finish_wait(struct load_finish *finish);
/* Frame pointer chains that reach the function every thread starts in are whole; call last. */
void load_finish_roots(struct profile *profile);
void load_finish_free(struct load_finish *finish); /* waits first; NULL is fine */

#endif
