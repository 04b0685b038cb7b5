/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contention of the kernel's locks, as perf lock shows it: from the tracepoints
 * lock:contention_begin and lock:contention_end of a recording, or from sums (event/lock_wait.h).
 */
#ifndef PROFILE_LOCK_CONTENTION_H
#define PROFILE_LOCK_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"

/* What a row is. */
enum contention_by {
	CONTENTION_BY_CALLER,
	CONTENTION_BY_THREAD,
	CONTENTION_BY_LOCK,
	CONTENTION_BY_OWNER,
	CONTENTION_BY_CGROUP,
};

enum contention_order {
	CONTENTION_WAIT_TOTAL,
	CONTENTION_CONTENDED,
	CONTENTION_WAIT_MAX,
	CONTENTION_WAIT_MIN,
	CONTENTION_AVG_WAIT,
};

/* Comma-separated lists; NULL = all. */
struct contention_filter {
	const char *types;     /* "spinlock", "rwsem:R", "rwsem", "mutex" */
	const char *locks;     /* addresses; names are for the caller to look at */
	const char *functions; /* of which one is in the stack */
	bool holds;	       /* of sums: how long locks were held, instead of waits */
};

struct contention_row {
	string_id name; /* "do_wait+0x99", a thread's name; of locks empty, for the caller */
	uint64_t address;
	uint32_t tid, flags;
	stack_id stack;				      /* of the first */
	uint64_t contended, total_ns, max_ns, min_ns; /* waits, or holds */
};

struct contention {
	enum contention_by by;
	VEC(struct contention_row) row;
	uint64_t total_ns, contended;
	uint64_t bad;	   /* ends without a beginning, and beginnings without an end */
	struct map by_key; /* private */
};

/* In the order of struct load_values of these tracepoints. */
enum contention_value {
	CONTENTION_LOCK,
	CONTENTION_FLAGS,
	CONTENTION_VALUES,
};

/* contention->by is set. skip: functions at the top of stacks that are not looked at; those of
 * locks are left out anyway. */
void contention_fill(struct contention *contention, struct profile *profile,
		     const struct contention_filter *filter, unsigned skip);
/* The same of samples of lock-wait. cgroup_of: the cgroup of a thread, for rows by cgroup. */
void contention_fill_sums(struct contention *contention, struct profile *profile,
			  const struct contention_filter *filter,
			  string_id (*cgroup_of)(struct profile *profile, uint32_t tid));
void contention_sort(struct contention *contention, enum contention_order order);
void contention_done(struct contention *contention);

#endif
