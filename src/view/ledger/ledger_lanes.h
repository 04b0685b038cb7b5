/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes of a timeline for what threads waited for: each lock, each disk, and the network. */
#ifndef VIEW_LEDGER_LANES_H
#define VIEW_LEDGER_LANES_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct ledger;
struct ledger_slices;
struct timeline;

#define LEDGER_LANES_MAX 16

/* What has no lane. */
struct ledger_lanes_left {
	size_t lanes; /* locks and devices that were waited for less long than those shown */
	uint64_t ns;  /* waits that were merged, so that their times are not known */
};

/* To a timeline of ledger_timeline(). A slice is a time in which the same number of threads wait,
 * and its label says how many. */
void ledger_lanes_add(const struct ledger_slices *slices, const struct ledger *ledger,
		      struct timeline *timeline, struct ledger_lanes_left *ret);
void ledger_lanes_missing(const struct ledger_lanes_left *left, struct buf *ret);

#endif
