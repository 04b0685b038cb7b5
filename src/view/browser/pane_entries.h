/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pane with the entries of one event: rows of the report with their call chains, zoom and
 * filter. */
#ifndef VIEW_BROWSER_PANE_ENTRIES_H
#define VIEW_BROWSER_PANE_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

struct browser_shared;
struct pane;

/* root: no pane is below it. */
struct pane *pane_entries_new(const struct browser_shared *shared, uint16_t event, bool root);

#endif
