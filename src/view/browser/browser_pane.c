/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What panes ask of the browser (see pane.h). */
#include "view/browser/pane.h"

#include <stdarg.h>
#include <stdio.h>

#include "view/browser/browser.h"
#include "view/browser/browser_private.h"

const struct browser_shared *browser_shared(const struct browser *browser)
{
	return &browser->shared;
}

const char *browser_wanted(const struct browser *browser)
{
	return browser->wanted;
}

void browser_say(struct browser *browser, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(browser->message, sizeof(browser->message), fmt, args); /* one line */
	va_end(args);
}

void browser_push(struct browser *browser, struct pane *pane)
{
	pane->below = browser->top;
	browser->top = pane;
	browser->search[0] = '\0';
}

void browser_pop(struct browser *browser)
{
	struct pane *top = browser->top;

	browser->top = top->below;
	browser->search[0] = '\0';
	top->ops->free(top);
}

void browser_switch(struct browser *browser, const char *path)
{
	(void)snprintf(browser->wanted, sizeof(browser->wanted), "%s", path);
	browser->state = BROWSER_SWITCHES;
}
