/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers over time as a timeline: a lane for each thread, a kind for each account. */
#ifndef VIEW_LEDGER_TIMELINE_H
#define VIEW_LEDGER_TIMELINE_H

#include "view/timeline/timeline.h"

struct ledger;
struct ledger_slices;

/* Both are finished. *ret is to be freed with ledger_timeline_done(). Title, about, missing and
 * context are the caller's to set. */
void ledger_timeline(const struct ledger_slices *slices, const struct ledger *ledger,
		     struct timeline *ret);
void ledger_timeline_done(struct timeline *timeline);

#endif
