/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pane of the browser: rows with one that is selected. The browser moves the selection, draws the
 * frame around the rows, searches in them, and passes on the other keys. Panes lie one above the
 * other; the browser owns them. Private to view/browser. */
#ifndef VIEW_BROWSER_PANE_H
#define VIEW_BROWSER_PANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/browser/browser_keys.h"
#include "view/browser/cells.h"
#include "view/report/report_column.h"

struct browser;
struct browser_host;
struct pane;
struct report_options;

struct pane_ops {
	void (*title)(struct pane *pane, struct cells *line);
	void (*heading)(struct pane *pane, struct cells *line); /* NULL = no such line */
	size_t (*count)(struct pane *pane);
	void (*row)(struct pane *pane, size_t row, struct cells *line);
	/* False = the action means nothing here. May free the pane, by browser_pop(). */
	bool (*act)(struct pane *pane, struct browser *browser, enum browser_action action);
	/* What is typed after /; NULL = the browser searches. */
	void (*filter)(struct pane *pane, struct browser *browser, const char *text);
	void (*free)(struct pane *pane);
	const char *keys; /* for the last line: "a annotate  / filter" */
	bool sheet;	  /* lies over the lower lines of the pane below it */
	bool root;	  /* leaving it ends the browser */
};

struct pane {
	const struct pane_ops *ops;
	struct pane *below;
	size_t selected, first; /* rows: the selected one, and the one at the top */
	bool no_heading;
};

/* What all panes share. */
struct browser_shared {
	const struct profile *profile;
	const struct report_options *view;
	const struct browser_host *host;
	struct report_context context;
	report_columns columns;
	/* Does it in the uppermost pane. */
	void (*act)(struct browser *browser, enum browser_action action);
};

const struct browser_shared *browser_shared(const struct browser *browser);
void browser_push(struct browser *browser, struct pane *pane);
void browser_pop(struct browser *browser);
/* Ends the browser for another recording. */
void browser_switch(struct browser *browser, const char *path);

#endif
