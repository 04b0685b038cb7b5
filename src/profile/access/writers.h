/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who writes to watched words: samples of breakpoints by word, thread and stack. */
#ifndef PROFILE_ACCESS_WRITERS_H
#define PROFILE_ACCESS_WRITERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"

struct writer {
	uint64_t word; /* the first watched address */
	thread_id thread;
	stack_id stack;
	uint8_t stop;
	uint64_t hits;
};

struct writers {
	VEC(struct writer) item; /* in order of words, then the largest first */
	uint64_t hits;
};

/* What the hits say about a line. */
enum sharing {
	SHARING_NONE,  /* at most one thread writes */
	SHARING_TRUE,  /* threads write to the same words alone */
	SHARING_FALSE, /* threads write to different words */
};

/* The events of the profile are breakpoints, "mem:0x1000/8:w"; others are left out. */
void writers_sum_up(const struct profile *profile, struct writers *ret);
void writers_done(struct writers *writers);
enum sharing writers_sharing(const struct profile *profile, const struct writers *writers);

#endif
