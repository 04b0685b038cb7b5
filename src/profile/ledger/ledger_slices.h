/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers over time: the intervals of each thread, and what ended its waits. Beyond MAX
 * intervals, the shortest neighbours are merged: their times per account stay exact, their order
 * is lost. Memory does not grow with the time, and long intervals stay exact. */
#ifndef PROFILE_LEDGER_SLICES_H
#define PROFILE_LEDGER_SLICES_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "event/ledger_account.h"

struct ledger;

#define LEDGER_SLICES_MAX 500000

/* ns of the time from start to end. Slices that were put together have the same start and end. */
struct ledger_slice {
	uint64_t start_ns, end_ns;
	uint64_t ns;
	uint32_t account;
	uint32_t ended_by; /* index in ended_by; 0 = not known */
};

/* Of all threads that had this number, one after the other. */
struct ledger_track {
	uint32_t tid;
	VEC(struct ledger_slice) slice; /* by start */
};

struct ledger_slices {
	VEC(struct ledger_track) track;
	VEC(struct ledger_edge_key) ended_by; /* item 0 is unused */
	size_t count;			      /* of slices */
	uint64_t together_ns; /* shorter ones may have been put together; 0 = all are exact */
	struct map by_tid, by_key;
};

void ledger_slices_add(struct ledger_slices *slices, const struct ledger_span *span);
/* The intervals that are open at the end of a ledger that is finished. */
void ledger_slices_finish(struct ledger_slices *slices, const struct ledger *ledger);
/* The first slice of a thread of the ledger; *ret is how many there are. NULL = none. */
const struct ledger_slice *ledger_slices_of(const struct ledger_slices *slices,
					    const struct ledger_thread *thread, size_t *ret);
void ledger_slices_done(struct ledger_slices *slices);

#endif
