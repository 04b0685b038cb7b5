/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Panes with a choice (see pane_menu.h). */
#include "view/browser/pane_menu.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "view/browser/pane.h"

struct menu_item {
	char *text;
	int value;
};

struct pane_menu {
	struct pane pane; /* first */
	char title[128];
	VEC(struct menu_item) items;
	void (*chosen)(struct browser *browser, const char *text, int value);
};

static void put_title(struct pane *pane, struct cells *line)
{
	cells_put(line, CELL_TITLE, ((struct pane_menu *)pane)->title);
}

static size_t count(struct pane *pane)
{
	return ((struct pane_menu *)pane)->items.count;
}

static void put_row(struct pane *pane, size_t row, struct cells *line)
{
	cells_put(line, CELL_PLAIN, "  ");
	cells_put(line, CELL_PLAIN, ((struct pane_menu *)pane)->items.item[row].text);
}

static bool act(struct pane *pane, struct browser *browser, enum browser_action action)
{
	struct pane_menu *menu = (struct pane_menu *)pane;
	const struct menu_item *item = &menu->items.item[pane->selected];
	void (*chosen)(struct browser *, const char *, int) = menu->chosen;
	char *text;
	int value;

	if (action != BROWSER_ENTER || !menu->items.count)
		return false;
	text = mem_strdup(item->text);
	value = item->value;
	if (pane->ops->sheet)
		browser_pop(browser);
	chosen(browser, text, value);
	free(text);
	return true;
}

static void free_menu(struct pane *pane)
{
	struct pane_menu *menu = (struct pane_menu *)pane;

	for (size_t i = 0; i < menu->items.count; i++)
		free(menu->items.item[i].text);
	vec_done(&menu->items);
	free(menu);
}

static const struct pane_ops sheet_ops = {
	.title = put_title,
	.count = count,
	.row = put_row,
	.act = act,
	.free = free_menu,
	.keys = "Enter choose  Esc back",
	.sheet = true,
};

static const struct pane_ops root_ops = {
	.title = put_title,
	.count = count,
	.row = put_row,
	.act = act,
	.free = free_menu,
	.keys = "Enter choose  q quit  ? help",
	.root = true,
};

struct pane *pane_menu_new(const char *title, enum menu_place place,
			   void (*chosen)(struct browser *browser, const char *text, int value))
{
	struct pane_menu *menu = mem_zalloc(sizeof(*menu));

	menu->pane.ops = place == MENU_SHEET ? &sheet_ops : &root_ops;
	menu->chosen = chosen;
	(void)snprintf(menu->title, sizeof(menu->title), "%s", title);
	return &menu->pane;
}

void pane_menu_add(struct pane *pane, int value, const char *fmt, ...)
{
	struct pane_menu *menu = (struct pane_menu *)pane;
	char text[512];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args); /* a line is not longer */
	va_end(args);
	vec_push(&menu->items, ((struct menu_item){ mem_strdup(text), value }));
}
