/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the browser consists of. For browser.c, and for browser_pane.c, which has what panes ask of
 * it. */
#ifndef VIEW_BROWSER_BROWSER_PRIVATE_H
#define VIEW_BROWSER_BROWSER_PRIVATE_H

#include <limits.h>
#include <stdint.h>

#include "view/browser/browser.h"
#include "view/browser/pane.h"

/* What the last line asks for. */
enum asking { ASKS_NOTHING, ASKS_TEXT, ASKS_QUIT };

struct browser {
	struct browser_shared shared;
	struct report_parent *parent;
	struct pane *top;
	uint32_t rows, columns;
	enum asking asking;
	char typed[256], search[256], message[512], wanted[PATH_MAX];
	enum browser_state state;
};

#endif
