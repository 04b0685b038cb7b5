/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of keys (see browser_keys.h). */
#include "view/browser/browser_keys.h"

const struct browser_key_row browser_keys[] = {
	{ BROWSER_KEY_UP, 0, BROWSER_UP, "Up, Down", "select a line" },
	{ BROWSER_KEY_DOWN, 0, BROWSER_DOWN, NULL, NULL },
	{ BROWSER_KEY_PAGE_UP, 0, BROWSER_PAGE_UP, "PgUp, PgDn, Space", "one screen up or down" },
	{ BROWSER_KEY_PAGE_DOWN, ' ', BROWSER_PAGE_DOWN, NULL, NULL },
	{ BROWSER_KEY_HOME, 0, BROWSER_FIRST, "Home, End", "first or last line" },
	{ BROWSER_KEY_END, 0, BROWSER_LAST, NULL, NULL },
	{ BROWSER_KEY_ENTER, '\r', BROWSER_ENTER, "Enter",
	  "menu of what can be done with the line" },
	{ BROWSER_KEY_RIGHT, 'm', BROWSER_ENTER, "Right, m", "the same" },
	{ '+', 0, BROWSER_TOGGLE, "+", "expand or collapse one call chain" },
	{ 'e', 0, BROWSER_EXPAND, "e, c", "expand or collapse all call chains of the entry" },
	{ 'c', 0, BROWSER_COLLAPSE, NULL, NULL },
	{ 'E', 0, BROWSER_EXPAND_ALL, "E, C", "expand or collapse all call chains" },
	{ 'C', 0, BROWSER_COLLAPSE_ALL, NULL, NULL },
	{ 'a', 0, BROWSER_ANNOTATE, "a", "annotate: source and assembly of the function" },
	{ 'x', 0, BROWSER_CALLERS, "x", "callers and callees of the function" },
	{ 't', 0, BROWSER_ZOOM_THREAD, "t", "zoom into the thread of the entry, or out again" },
	{ 'd', 0, BROWSER_ZOOM_MODULE, "d", "zoom into the shared object, or out again" },
	{ 'k', 0, BROWSER_ZOOM_KERNEL, "k", "zoom into the kernel, or out again" },
	{ '/', 0, BROWSER_FILTER, "/", "show only functions with this text; elsewhere: search" },
	{ 'n', 0, BROWSER_NEXT_MATCH, "n, N", "next or previous match of a search" },
	{ 'N', 0, BROWSER_LAST_MATCH, NULL, NULL },
	{ 'F', 0, BROWSER_RELATIVE, "F", "percentages of everything, or of what filters leave" },
	{ 'H', 0, BROWSER_HEADINGS, "H", "show or hide the column headings" },
	{ BROWSER_KEY_TAB, 0, BROWSER_NEXT_EVENT, "Tab, Shift-Tab", "next or previous event" },
	{ BROWSER_KEY_TAB_BACK, 0, BROWSER_LAST_EVENT, NULL, NULL },
	{ 's', 0, BROWSER_SWITCH, "s", "switch to another recording in this folder" },
	{ 'i', 0, BROWSER_HEADER, "i", "header of the recording" },
	{ 'P', 0, BROWSER_PRINT, "P", "write what is shown to report.hist.N" },
	{ 'f', 0, BROWSER_FLAME, "f",
	  "write a flame graph of the function to report.flame.N.html" },
	{ 'w', 0, BROWSER_RECORD, "w", "in top: write the samples to the recording perf.data.N" },
	{ 'r', 0, BROWSER_RELOAD, "r", "read the recording again" },
	{ '?', 'h', BROWSER_HELP, "?, h, F1", "this help" },
	{ BROWSER_KEY_F1, 0, BROWSER_HELP, NULL, NULL },
	{ BROWSER_KEY_LEFT, BROWSER_KEY_ESCAPE, BROWSER_BACK, "Left, Esc",
	  "back: leave this pane, or zoom out" },
	{ 'q', 0, BROWSER_QUIT, "q", "leave this pane; quit" },
	{ BROWSER_KEY_CTRL_C, 0, BROWSER_END, "Ctrl-C", "quit from anywhere" },
	{ 0, 0, BROWSER_NOTHING, NULL, NULL },
};

enum browser_action browser_key_action(int key)
{
	for (const struct browser_key_row *row = browser_keys; row->action; row++)
		if (row->key == key || (row->other && row->other == key))
			return row->action;
	return BROWSER_NOTHING;
}
