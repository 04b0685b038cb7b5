/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits summed by waiting thread and stack, and by waker: from the off-CPU and wakeup samples of
 * one recording (see wakeups.h). */
#ifndef PROFILE_WAITS_H
#define PROFILE_WAITS_H

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"

/* The key of summed waits. */
enum waits_by {
	WAITS_BY_SLEEPER, /* the thread and its stack */
	WAITS_BY_WAKER,	  /* names of thread and waker, the waker's stack */
	WAITS_BY_BOTH,	  /* threads and stacks of both */
};

/* Without a waker, its stack is empty and its thread PROFILE_NO_ID. */
struct waits_row {
	thread_id thread, waker;
	stack_id stack, waker_stack;
	uint64_t ns;
};

struct waits {
	enum waits_by by;
	VEC(struct waits_row) row; /* shortest first */
	uint64_t ns;
	struct map by_key; /* private */
};

/* Of threads named comm, NULL = of all. The profile must know times (PROFILE_KEEP_TIME) unless by
 * sleeper. */
struct waits_selection {
	enum waits_by by;
	const char *comm;
};

void waits_collect(const struct profile *profile, const struct waits_selection *selection,
		   struct waits *ret);
/* Whether a sample is a wait of such a thread. */
bool waits_has(const struct profile *profile, const struct profile_sample *sample,
	       const char *comm);
void waits_done(struct waits *waits);

#endif
