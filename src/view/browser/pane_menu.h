/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pane with a choice: what can be done with an entry, events, recordings. */
#ifndef VIEW_BROWSER_PANE_MENU_H
#define VIEW_BROWSER_PANE_MENU_H

#include <stdbool.h>
#include <stddef.h>

struct browser;
struct pane;

enum menu_place {
	MENU_SHEET, /* over the lower lines of the pane below; leaves when something is chosen */
	MENU_ROOT,  /* a pane of its own, the lowest; stays */
};

struct pane *pane_menu_new(const char *title, enum menu_place place,
			   void (*chosen)(struct browser *browser, const char *text, int value));
/* The value is for chosen(). */
void pane_menu_add(struct pane *menu, int value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
