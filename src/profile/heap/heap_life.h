/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lives of sampled blocks of memory: when what they stand for was live, how long blocks live,
 * and which stacks hold more and more. Times are those of samples. */
#ifndef PROFILE_HEAP_HEAP_LIFE_H
#define PROFILE_HEAP_HEAP_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"

#define HEAP_SPANS	  8 /* of lifetimes: below 10 us, 100 us, 1 ms … 10 s, longer */
#define HEAP_TEMPORARY_NS 1000000
#define HEAP_AGES	  8 /* parts of a process's life */

struct heap_life {
	stack_id stack;
	enum stack_stop stop;
	uint32_t process;
	uint64_t address;
	double size, blocks;	   /* of one block; how many it stands for */
	uint64_t begin_ns, end_ns; /* 0 = was not freed */
};

/* From its first sample to its last. */
struct heap_process {
	uint32_t pid;
	uint64_t first_ns, last_ns;
};

struct heap_lives {
	VEC(struct heap_life) life;
	VEC(struct heap_process) process;
};

/* With the interval that holds the true value in 95 % of runs. */
struct heap_estimate {
	double value, low, high;
};

/* What a stack holds at the end, without what its process allocated in its last tenth. */
struct heap_held {
	stack_id stack;
	enum stack_stop stop;
	struct heap_estimate growth; /* bytes per second, from 40 % to 90 % of a process's life */
	double bytes, blocks;
	double age[HEAP_AGES]; /* the bytes, those of the first part of the life first */
};

struct heap_holders {
	VEC(struct heap_held) held;
};

void heap_lives_done(struct heap_lives *lives);
/* Whether the block is held, as above. */
bool heap_is_held(const struct heap_lives *lives, const struct heap_life *life);
/* The surest growth first. */
void heap_holders_collect(const struct heap_lives *lives, struct heap_holders *ret);
void heap_holders_done(struct heap_holders *holders);
/* The upper end of a span of lifetimes; UINT64_MAX of the last. */
uint64_t heap_span_end(size_t span);
/* Bytes by how long they lived; those that were not freed are apart. */
void heap_spans(const struct heap_lives *lives, double ret[HEAP_SPANS], double *not_freed);
/* Live bytes at the ends of equal parts of the time; returns how much time there is. */
uint64_t heap_over_time(const struct heap_lives *lives, double *ret, size_t parts);

#endif
