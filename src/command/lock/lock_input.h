/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of the kernel's locks, read for the commands that show them. */
#ifndef COMMAND_LOCK_LOCK_INPUT_H
#define COMMAND_LOCK_LOCK_INPUT_H

#include <stdint.h>

#include "profile/lock/contention.h"
#include "symbol/symbolizer.h"

struct err;
struct option_words;

#define LOCK_SKIPPED 3 /* functions at the top of stacks, that take the lock: as perf does */
#define LOCK_ORDERS  "default contended wait_total wait_max wait_min avg_wait"

/* The order that a word of LOCK_ORDERS is; `usual` for the first. */
enum contention_order lock_order(unsigned choice, enum contention_order usual);

struct lock_input {
	const char *path, *time;
	const char *pids, *tids, *cpus;
	struct symbol_options symbol;
	struct contention_filter filter;
	uint64_t skip; /* functions at the top of stacks */
};

/* Reads the recording of `words` or input->path, and fills *contention, which says what rows are.
 * Those of locks get names. The profile is the caller's. */
int lock_input_read(struct lock_input *input, const struct option_words *words,
		    struct contention *contention, struct profile **ret, struct err *err);
/* Names locks by their addresses, for rows by lock. */
void lock_input_name(struct contention *contention, struct profile *profile);

#endif
