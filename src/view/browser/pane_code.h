/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pane with the code of a function: instructions with their shares, the source lines between
 * them, and lines from jumps to where they go. */
#ifndef VIEW_BROWSER_PANE_CODE_H
#define VIEW_BROWSER_PANE_CODE_H

#include <stddef.h>
#include <stdint.h>

struct browser;

/* Asks the host for the code and shows it, or says why there is none. Shares are of the event. */
void pane_code_open(struct browser *browser, uint32_t symbol, size_t event);

#endif
