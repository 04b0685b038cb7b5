/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks, who waited for them, and who held them meanwhile, as text and as JSON. */
#ifndef VIEW_LOCK_LOCK_VIEW_H
#define VIEW_LOCK_LOCK_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct lock_row;
struct lock_table;
struct profile;

struct lock_view {
	const struct profile *profile;
	const struct lock_table *table;
	uint64_t rows;	 /* of each table; 0 = all */
	uint64_t stacks; /* waiters and holders that are shown of each lock; 0 = none */
	uint64_t duration_ns, lost;
	const char *const *words; /* the command, for JSON */
	size_t word_count;
};

/* "cache+0x8", "mmap_lock", "0x7ffd… in worker()". */
void lock_put_name(const struct lock_view *view, const struct lock_row *row, struct buf *out);
void lock_text(const struct lock_view *view, struct buf *out);
/* { "cupel": 1, "command": [...], "duration_ns", "lost", "locks": [ { "name", "place", "kind",
 * "event", "pid", "address", "waits", "wait_ns", "avg_ns", "max_ns", "p50_ns", "p99_ns",
 * "delay_ns", "timeouts", "open", "again", "together", "handed_ns", "waiters": [ … ],
 * "holders": [ … ] } ], "deadlocks": [ [ { "tid", "comm", "lock", "stack" } ] ] }. */
void lock_json(const struct lock_view *view, struct buf *out);

#endif
