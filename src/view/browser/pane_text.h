/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pane of text: the help, the header of a recording. */
#ifndef VIEW_BROWSER_PANE_TEXT_H
#define VIEW_BROWSER_PANE_TEXT_H

struct buf;
struct pane;

/* Takes the text. */
struct pane *pane_text_new(const char *title, struct buf *text);
/* The keys of the browser, after those of a pane: "Tab next hot  q back"; NULL = none. */
struct pane *pane_help_new(const char *own);

#endif
