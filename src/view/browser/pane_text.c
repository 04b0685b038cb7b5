/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Panes of text (see pane_text.h). */
#include "view/browser/pane_text.h"

#include <stdio.h>
#include <string.h>

#include "view/browser/pane.h"

#define KEY_COLUMN 20

struct pane_text {
	struct pane pane; /* first */
	char title[80];
	struct buf text;
	VEC(const char *) lines; /* each ends with '\0' */
};

static void put_title(struct pane *pane, struct cells *line)
{
	cells_put(line, CELL_TITLE, ((struct pane_text *)pane)->title);
}

static size_t count(struct pane *pane)
{
	return ((struct pane_text *)pane)->lines.count;
}

static void put_row(struct pane *pane, size_t row, struct cells *line)
{
	const char *text = ((struct pane_text *)pane)->lines.item[row];
	size_t tab = strcspn(text, "\t");

	if (!text[tab]) {
		cells_put(line, CELL_PLAIN, text);
		return;
	}
	cells_printf(line, CELL_KEY, "%.*s", (int)tab, text);
	cells_pad_to(line, KEY_COLUMN);
	cells_put(line, CELL_PLAIN, text + tab + 1);
}

static bool act(struct pane *pane, struct browser *browser, enum browser_action action)
{
	(void)pane;
	if (action != BROWSER_ENTER && action != BROWSER_HELP)
		return false;
	browser_pop(browser);
	return true;
}

static void free_text(struct pane *pane)
{
	struct pane_text *p = (struct pane_text *)pane;

	buf_done(&p->text);
	vec_done(&p->lines);
	free(p);
}

static const struct pane_ops text_ops = {
	.title = put_title,
	.count = count,
	.row = put_row,
	.act = act,
	.free = free_text,
	.keys = "q back  / search  n next",
};

struct pane *pane_text_new(const char *title, struct buf *text)
{
	struct pane_text *p = mem_zalloc(sizeof(*p));
	char *at;

	p->pane.ops = &text_ops;
	(void)snprintf(p->title, sizeof(p->title), "%s", title);
	p->text = *text;
	*text = (struct buf){ 0 };
	for (at = p->text.data; at && *at;) {
		char *end = at + strcspn(at, "\n");

		vec_push(&p->lines, at);
		at = *end ? end + 1 : end;
		*end = '\0';
	}
	return &p->pane;
}

/* "Tab next hot  H hottest" as rows. */
static void put_own_keys(const char *keys, struct buf *text)
{
	while (*keys) {
		const char *end = strstr(keys, "  ");
		size_t len = end ? (size_t)(end - keys) : strlen(keys), word = strcspn(keys, " ");

		if (word < len)
			(void)buf_printf(text, " %.*s\there: %.*s\n", (int)word, keys,
					 (int)(len - word - 1), keys + word + 1);
		keys += len + strspn(keys + len, " ");
	}
}

struct pane *pane_help_new(const char *own)
{
	struct buf text = { 0 };

	if (own)
		put_own_keys(own, &text);
	for (const struct browser_key_row *row = browser_keys; row->action; row++)
		if (row->name)
			(void)buf_printf(&text, " %s\t%s\n", row->name, row->help);
	return pane_text_new("Keys", &text);
}
