/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pane with a function between those that call it and those that it calls. */
#ifndef VIEW_BROWSER_PANE_CALLERS_H
#define VIEW_BROWSER_PANE_CALLERS_H

#include <stdint.h>

struct browser_shared;
struct pane;
struct report_table;

/* Of the samples of the table's event and of the thread that it is zoomed into. Shares are of all
 * samples of the event. */
struct pane *pane_callers_new(const struct browser_shared *shared, const struct report_table *table,
			      uint32_t symbol);

#endif
