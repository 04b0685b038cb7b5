/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the browser writes to files: the lines of a pane, and the flame graph of a function. */
#ifndef VIEW_BROWSER_BROWSER_FILES_H
#define VIEW_BROWSER_BROWSER_FILES_H

#include <stdint.h>

struct browser;
struct pane;

/* All lines of the pane, as text. */
void browser_print(struct browser *browser, struct pane *pane);
/* The samples as a recording, by the host. */
void browser_record(struct browser *browser);
/* The stacks with the function, from there on. The symbol is one of the shared context's. */
void browser_save_flame(struct browser *browser, uint16_t event, uint32_t symbol);

#endif
