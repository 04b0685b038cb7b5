/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All pictures of a ledger: a flame graph, and timelines as a page and in Chrome's trace format.
 * Pure functions. */
#ifndef VIEW_LEDGER_PICTURES_H
#define VIEW_LEDGER_PICTURES_H

#include <stdbool.h>

#include "view/ledger/ledger_view.h"

struct buf;
struct err;
struct ledger_slices;
struct machine_series;

struct ledger_picture {
	const struct ledger *ledger; /* finished */
	const char *title;	     /* "sqlite3 test.db" */
	/* of the flame graph */
	enum ledger_rows rows;
	bool idle;	  /* include idle time */
	bool html;	  /* a page, not an SVG */
	const char *host; /* where that was; NULL = nothing */
	/* of timelines */
	const struct ledger_slices *slices; /* finished */
	const struct machine_series *machine;
};

typedef int (*ledger_draw)(const struct ledger_picture *picture, struct buf *ret, struct err *err);

int ledger_flame_graph(const struct ledger_picture *picture, struct buf *ret, struct err *err);
int ledger_timeline_page(const struct ledger_picture *picture, struct buf *ret, struct err *err);
int ledger_timeline_trace(const struct ledger_picture *picture, struct buf *ret, struct err *err);

#endif
