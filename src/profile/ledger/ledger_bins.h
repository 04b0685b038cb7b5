/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers over time: what was booked on each account of each thread from one look at the ledgers to
 * the next. The order of things within a bin is not known. When there are MAX bins, each two become
 * one, so that a day costs no more memory than a second. */
#ifndef PROFILE_LEDGER_BINS_H
#define PROFILE_LEDGER_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "event/ledger_account.h"

struct ledger;

#define LEDGER_BINS_MAX 1024

/* Time on an account in the bins first to last. In more than one bin only when it is all their
 * time. */
struct ledger_part {
	uint32_t first, last;
	uint64_t ns;
	uint32_t account;
};

struct ledger_lane {
	uint32_t tid, tgid;
	char comm[sizeof(((struct ledger_thread *)0)->comm) + 1];
	uint64_t booked_ns[LEDGER_ACCOUNTS]; /* that are in parts */
	VEC(struct ledger_part) part;	     /* by first bin */
};

struct ledger_bins {
	uint64_t start_ns;
	uint64_t interval_ns; /* how often to look; grows */
	VEC(uint64_t) end_ns; /* of each bin */
	VEC(struct ledger_lane) lane;
	struct map by_thread; /* tid and birth → index of the lane */
	size_t ended;	      /* threads at the head of the ledger that are done with */
};

void ledger_bins_start(struct ledger_bins *bins, uint64_t start_ns, uint64_t interval_ns);
/* A look at the ledgers; ledger->end_ns is when. Threads that ended are first in it, until it is
 * finished. */
void ledger_bins_look(struct ledger_bins *bins, const struct ledger *ledger);
/* The last look, at a ledger that is finished. */
void ledger_bins_finish(struct ledger_bins *bins, const struct ledger *ledger);
uint64_t ledger_bins_from(const struct ledger_bins *bins, uint32_t bin);
void ledger_bins_done(struct ledger_bins *bins);

#endif
