/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines below the title of a picture of ledgers, and what it lacks. */
#ifndef VIEW_LEDGER_ABOUT_H
#define VIEW_LEDGER_ABOUT_H

struct buf;
struct ledger;
struct ledger_slices;

/* "1.002 s · 3 threads · …" */
void ledger_about(const struct ledger *ledger, struct buf *ret);
/* With how exact the slices are. */
void ledger_slices_about(const struct ledger_slices *slices, const struct ledger *ledger,
			 struct buf *ret);
/* Nothing when all is there. */
void ledger_missing(const struct ledger *ledger, struct buf *ret);

#endif
