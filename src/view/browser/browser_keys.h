/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of the browser: one table, which is also its help. Letters follow perf report's. */
#ifndef VIEW_BROWSER_BROWSER_KEYS_H
#define VIEW_BROWSER_BROWSER_KEYS_H

#include <stddef.h>

/* Keys that are no characters; these are Unicode. */
enum browser_key {
	BROWSER_KEY_NONE = 0x110000,
	BROWSER_KEY_UP,
	BROWSER_KEY_DOWN,
	BROWSER_KEY_LEFT,
	BROWSER_KEY_RIGHT,
	BROWSER_KEY_PAGE_UP,
	BROWSER_KEY_PAGE_DOWN,
	BROWSER_KEY_HOME,
	BROWSER_KEY_END,
	BROWSER_KEY_BACKSPACE,
	BROWSER_KEY_TAB_BACK,
	BROWSER_KEY_F1,
	BROWSER_KEY_LAST, /* one that means nothing here */
};

#define BROWSER_KEY_TAB		   '\t'
#define BROWSER_KEY_ENTER	   '\n'
#define BROWSER_KEY_ESCAPE	   '\033'
#define BROWSER_KEY_CTRL_C	   3
#define BROWSER_KEY_CTRL_Z	   26
#define BROWSER_KEY_CTRL_BACKSLASH 28

enum browser_action {
	BROWSER_NOTHING,
	BROWSER_UP,
	BROWSER_DOWN,
	BROWSER_PAGE_UP,
	BROWSER_PAGE_DOWN,
	BROWSER_FIRST,
	BROWSER_LAST,
	BROWSER_ENTER,
	BROWSER_TOGGLE,
	BROWSER_EXPAND,
	BROWSER_COLLAPSE,
	BROWSER_EXPAND_ALL,
	BROWSER_COLLAPSE_ALL,
	BROWSER_ANNOTATE,
	BROWSER_CALLERS,
	BROWSER_ZOOM_THREAD,
	BROWSER_ZOOM_MODULE,
	BROWSER_ZOOM_KERNEL,
	BROWSER_FILTER,
	BROWSER_NEXT_MATCH,
	BROWSER_LAST_MATCH,
	BROWSER_RELATIVE,
	BROWSER_HEADINGS,
	BROWSER_NEXT_EVENT,
	BROWSER_LAST_EVENT,
	BROWSER_SWITCH,
	BROWSER_HEADER,
	BROWSER_PRINT,
	BROWSER_FLAME,
	BROWSER_RECORD,
	BROWSER_RELOAD,
	BROWSER_HELP,
	BROWSER_BACK,
	BROWSER_QUIT,
	BROWSER_END, /* from anywhere */
	BROWSER_ACTIONS,
};

struct browser_key_row {
	int key, other; /* 0 = no other */
	enum browser_action action;
	const char *name; /* of the keys; NULL = not in the help */
	const char *help;
};

/* Ends with a row of BROWSER_NOTHING. */
extern const struct browser_key_row browser_keys[];

enum browser_action browser_key_action(int key);

#endif
