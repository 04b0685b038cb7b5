/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks and who waited for them: from samples of lock-wait and lock-holder (event/lock_wait.h), or
 * from single waits. A row is a lock of a process, or the kernel's locks of one name. */
#ifndef PROFILE_LOCK_LOCK_TABLE_H
#define PROFILE_LOCK_LOCK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "event/lock_wait.h"
#include "profile/profile.h"

/* A thread in a place: a waiter, or who held or released the lock. */
struct lock_part {
	thread_id thread; /* PROFILE_NO_ID = not known */
	stack_id stack;
	enum lock_relation relation;
	uint64_t ns, count, max_ns;	  /* of waits */
	uint64_t since_ns;		  /* of a wait that is still on */
	uint64_t did_ns[LEDGER_ACCOUNTS]; /* holders: meanwhile */
};

struct lock_row {
	uint64_t address; /* of several locks: of the first */
	uint32_t pid;	  /* 0 = the kernel's */
	uint8_t kind, flags;
	uint32_t kernel_flags;
	string_id name;	 /* empty: its place names it */
	string_id place; /* of the first waiter: a function, or empty */
	struct lock_sum sum;
	struct lock_sum hold;		      /* how long it was held; count 0 = not known */
	uint64_t timeouts, open;	      /* waits that ended by time, that had not ended, */
	uint64_t standing;		      /* and that were on when watching began */
	uint64_t ended_ns;		      /* when one ended last */
	VEC(struct lock_part) waiter, holder; /* longest first */
	VEC(struct lock_part) keeper;	      /* of hold: threads in places */
};

/* A thread of a cycle waits for a lock that the next thread holds. */
struct lock_link {
	uint32_t waiter; /* thread id */
	size_t row;
	thread_id thread;
	stack_id stack;
};

struct lock_cycle {
	VEC(struct lock_link) link;
};

struct lock_table {
	VEC(struct lock_row) row;
	VEC(struct lock_cycle) cycle;
	struct map by_key; /* private */
};

/* Sums up the samples of a profile that has PROFILE_ADDR_IS_VALUES: those of lock-wait have there
 * the number of words and a struct lock_wait_data. Interns names in the profile. */
void lock_table_fill(struct lock_table *table, struct profile *profile);
/* Adds a sum; the key's stacks do not count, those of the parts do. holder may be NULL. */
struct lock_row *lock_table_add(struct lock_table *table, struct profile *profile,
				const struct lock_wait_data *data, const struct lock_part *waiter,
				const struct lock_part *holder);
/* Orders rows by total time and parts by theirs, and finds cycles. */
void lock_table_finish(struct lock_table *table, const struct profile *profile);
void lock_table_done(struct lock_table *table);

/* The length that this share of waits does not exceed, from the buckets. */
uint64_t lock_percentile(const struct lock_sum *sum, double share);
/* A wait by itself. */
void lock_sum_add(struct lock_sum *sum, uint64_t ns);

/* "mutex", "rwlock (read)", "condition"; of the kernel "rwsem:R" and so on, as perf has it. */
const char *lock_kind_name(const struct lock_row *row);
/* Whether threads wait there for an event rather than for a lock. */
bool lock_row_is_event(const struct lock_row *row, const struct profile *profile);

#endif
