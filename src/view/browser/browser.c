/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame around panes: selection, search, input line, and what all panes have in common (see
 * browser.h). */
#include "view/browser/browser.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/browser/browser_files.h"
#include "view/browser/browser_private.h"
#include "view/browser/pane.h"
#include "view/browser/pane_code.h"
#include "view/browser/pane_entries.h"
#include "view/browser/pane_menu.h"
#include "view/browser/pane_text.h"
#include "view/report/report.h"
#include "view/report/report_build.h"
#include "view/report/report_parent.h"
#include "view/report/report_table.h"

static bool has_heading(const struct pane *pane)
{
	return pane->ops->heading && !pane->no_heading;
}

/* Lines of the screen that a pane has for its rows. */
static uint32_t room_of(const struct browser *browser, const struct pane *pane)
{
	uint32_t other = 2 + has_heading(pane); /* the title and the last line */
	size_t count = pane->ops->count((struct pane *)(uintptr_t)pane);
	uint32_t room = browser->rows > other ? browser->rows - other : 1;

	if (pane->ops->sheet && count < room)
		room = (uint32_t)count;
	return room;
}

/* Keeps the selected line on the screen. */
static void settle(struct browser *browser, struct pane *pane)
{
	size_t count = pane->ops->count(pane), room = room_of(browser, pane);

	if (pane->selected >= count)
		pane->selected = count ? count - 1 : 0;
	if (pane->selected < pane->first)
		pane->first = pane->selected;
	if (pane->selected >= pane->first + room)
		pane->first = pane->selected - room + 1;
	if (pane->first + room > count)
		pane->first = count > room ? count - room : 0;
}

static bool move(struct browser *browser, struct pane *pane, enum browser_action action)
{
	size_t count = pane->ops->count(pane), room = room_of(browser, pane);
	size_t page = room > 1 ? room - 1 : 1, *at = &pane->selected;

	switch (action) {
	case BROWSER_UP:
		*at -= *at > 0;
		break;
	case BROWSER_DOWN:
		*at += 1;
		break;
	case BROWSER_PAGE_UP:
		*at -= *at < page ? *at : page;
		break;
	case BROWSER_PAGE_DOWN:
		*at += page;
		break;
	case BROWSER_FIRST:
		*at = 0;
		break;
	case BROWSER_LAST:
		*at = count;
		break;
	default:
		return false;
	}
	settle(browser, pane);
	return true;
}

static bool has_match(const struct browser *browser, struct pane *pane, size_t row,
		      struct cells *line)
{
	cells_clear(line, UINT16_MAX);
	pane->ops->row(pane, row, line);
	return line->text.data && strcasestr(line->text.data, browser->search);
}

/* The next row with the text, `from` the selected one on or back. */
static void find(struct browser *browser, bool forward, bool from_here)
{
	struct pane *pane = browser->top;
	size_t count = pane->ops->count(pane), at = pane->selected;
	struct cells line = { 0 };
	bool found = false;

	if (!browser->search[0]) {
		browser_say(browser, "nothing to search for: press /");
		return;
	}
	for (size_t i = 0; i < count && !found; i++) {
		if (i || !from_here)
			at = (at + (forward ? 1 : count - 1)) % count;
		found = has_match(browser, pane, at, &line);
	}
	if (found)
		pane->selected = at;
	else
		browser_say(browser, "not found: %s", browser->search);
	cells_done(&line);
}

static void switch_to(struct browser *browser, const char *text, int value)
{
	(void)value;
	browser_switch(browser, text);
}

static void offer_recordings(struct browser *browser)
{
	const struct browser_host *host = browser->shared.host;
	struct buf names = { 0 };
	struct err err = { 0 };
	struct pane *menu;

	if (!host->list || host->list(host->context, &names, &err)) {
		browser_say(browser, "%s", host->list ? err.msg : "not a file");
	} else if (!names.len) {
		browser_say(browser, "no other recording in this folder");
	} else {
		menu = pane_menu_new("Recordings in this folder", MENU_SHEET, switch_to);
		for (const char *at = names.data; at && *at; at += strcspn(at, "\n") + 1)
			pane_menu_add(menu, 0, "%.*s", (int)strcspn(at, "\n"), at);
		browser_push(browser, menu);
	}
	buf_done(&names);
}

static void show_header(struct browser *browser)
{
	const struct browser_host *host = browser->shared.host;
	struct buf text = { 0 };
	struct err err = { 0 };

	report_missing(browser->shared.profile, &text);
	if (!host->header || host->header(host->context, &text, &err))
		browser_say(browser, "%s", host->header ? err.msg : "there is no header");
	else
		browser_push(browser, pane_text_new("Header of the recording", &text));
	buf_done(&text);
}

static void ask_text(struct browser *browser)
{
	browser->asking = ASKS_TEXT;
	browser->typed[0] = '\0';
}

static void leave(struct browser *browser, enum browser_action action)
{
	const struct pane *top = browser->top;

	if (!top->ops->root && top->below && !(action == BROWSER_QUIT && top->ops->filter))
		browser_pop(browser);
	else if (action == BROWSER_BACK)
		browser->asking = ASKS_QUIT;
	else
		browser->state = BROWSER_ENDED;
}

/* What is the same in all panes. */
static void act_in_any(struct browser *browser, enum browser_action action)
{
	switch (action) {
	case BROWSER_FILTER:
		ask_text(browser);
		break;
	case BROWSER_NEXT_MATCH:
	case BROWSER_LAST_MATCH:
		find(browser, action == BROWSER_NEXT_MATCH, false);
		break;
	case BROWSER_SWITCH:
		offer_recordings(browser);
		break;
	case BROWSER_RELOAD:
		browser_switch(browser, browser->shared.host->name);
		break;
	case BROWSER_HEADER:
		show_header(browser);
		break;
	case BROWSER_PRINT:
		browser_print(browser, browser->top);
		break;
	case BROWSER_RECORD:
		browser_record(browser);
		break;
	case BROWSER_HELP:
		browser_push(
			browser,
			pane_help_new(browser->top->ops->root ? NULL : browser->top->ops->keys));
		break;
	case BROWSER_BACK:
	case BROWSER_QUIT:
		leave(browser, action);
		break;
	case BROWSER_END:
		browser->state = BROWSER_ENDED;
		break;
	default:
		break;
	}
}

static void act(struct browser *browser, enum browser_action action)
{
	struct pane *top = browser->top;

	if (!move(browser, top, action) && !top->ops->act(top, browser, action))
		act_in_any(browser, action);
}

/* One character of UTF-8 less. */
static void take_back(char *text)
{
	size_t len = strlen(text);

	while (len && ((uint8_t)text[--len] & 0xc0) == 0x80)
		text[len] = '\0';
	text[len] = '\0';
}

static void type(char *text, size_t size, int key)
{
	struct buf letter = { 0 };

	if (key < 0x80)
		(void)buf_putc(&letter, (char)key);
	else if (key < 0x800)
		(void)buf_printf(&letter, "%c%c", 0xc0 | key >> 6, 0x80 | (key & 0x3f));
	else if (key < 0x10000)
		(void)buf_printf(&letter, "%c%c%c", 0xe0 | key >> 12, 0x80 | (key >> 6 & 0x3f),
				 0x80 | (key & 0x3f));
	else
		(void)buf_printf(&letter, "%c%c%c%c", 0xf0 | key >> 18, 0x80 | (key >> 12 & 0x3f),
				 0x80 | (key >> 6 & 0x3f), 0x80 | (key & 0x3f));
	if (strlen(text) + letter.len < size)
		memcpy(text + strlen(text), letter.data, letter.len + 1);
	buf_done(&letter);
}

static void accept_text(struct browser *browser)
{
	struct pane *top = browser->top;

	browser->asking = ASKS_NOTHING;
	if (top->ops->filter) {
		top->ops->filter(top, browser, browser->typed);
		return;
	}
	(void)snprintf(browser->search, sizeof(browser->search), "%s", browser->typed);
	if (browser->search[0])
		find(browser, true, true);
}

static void take_typed(struct browser *browser, int key)
{
	if (key == BROWSER_KEY_ENTER || key == '\r')
		accept_text(browser);
	else if (key == BROWSER_KEY_ESCAPE)
		browser->asking = ASKS_NOTHING;
	else if (key == BROWSER_KEY_CTRL_C)
		browser->state = BROWSER_ENDED;
	else if (key == BROWSER_KEY_BACKSPACE || key == 0x7f || key == '\b')
		take_back(browser->typed);
	else if (key >= ' ' && key < BROWSER_KEY_NONE)
		type(browser->typed, sizeof(browser->typed), key);
}

enum browser_state browser_key(struct browser *browser, int key)
{
	browser->state = BROWSER_RUNS;
	browser->message[0] = '\0';
	if (browser->asking == ASKS_TEXT) {
		take_typed(browser, key);
	} else if (browser->asking == ASKS_QUIT) {
		browser->asking = ASKS_NOTHING;
		if (strchr("yYqQ\n\r\003", key) && key)
			browser->state = BROWSER_ENDED;
	} else {
		act(browser, browser_key_action(key));
	}
	if (browser->state == BROWSER_RUNS)
		settle(browser, browser->top);
	return browser->state;
}

/* By its name, or by its address as rows show it. */
static bool is_called(const struct browser *browser, uint32_t symbol, const char *name)
{
	const struct report_symbols *symbols = &browser->shared.context.symbols;
	const char *own =
		profile_string(browser->shared.profile, symbols->symbols.item[symbol].function);
	struct buf text = { 0 };
	bool ret;

	if (*own)
		return strcmp(own, name) == 0;
	report_symbol_name(symbols, symbol, &text);
	ret = text.len == strlen(name) && memcmp(text.data, name, text.len) == 0;
	buf_done(&text);
	return ret;
}

void browser_show_code(struct browser *browser, const char *function)
{
	const struct report_symbols *symbols = &browser->shared.context.symbols;
	uint32_t i = 0;

	while (function && i < symbols->symbols.count && !is_called(browser, i, function))
		i++;
	if (!function)
		act(browser, BROWSER_ANNOTATE);
	else if (i < symbols->symbols.count)
		pane_code_open(browser, i, 0);
	else
		browser_say(browser, "%s: not among the functions here", function);
	settle(browser, browser->top);
}

void browser_resize(struct browser *browser, uint32_t rows, uint32_t columns)
{
	browser->rows = rows ? rows : 1;
	browser->columns = columns ? columns : 1;
	for (struct pane *pane = browser->top; pane; pane = pane->below)
		settle(browser, pane);
}

/* "Enter menu  + expand": a key and what it does. */
static void put_keys(const char *keys, struct cells *line)
{
	while (*keys) {
		size_t key = strcspn(keys, " "), end = key;

		while (keys[end] && strncmp(keys + end, "  ", 2) != 0)
			end++;
		cells_put(line, CELL_FOOT, line->used ? "  " : "");
		cells_printf(line, CELL_KEY, "%.*s", (int)key, keys);
		cells_printf(line, CELL_FOOT, "%.*s", (int)(end - key), keys + key);
		keys += end + strspn(keys + end, " ");
	}
}

static void put_foot(const struct browser *browser, struct cells *line)
{
	const struct pane *top = browser->top;
	size_t count = top->ops->count((struct pane *)(uintptr_t)top);
	char place[48];

	line->rest = CELL_FOOT;
	if (browser->asking == ASKS_QUIT) {
		cells_put(line, CELL_FOOT, "Quit? (y/n)");
		return;
	}
	if (browser->asking == ASKS_TEXT) {
		cells_printf(line, CELL_FOOT, "%s: %s",
			     top->ops->filter ? "Functions with" : "Search", browser->typed);
		return;
	}
	if (browser->message[0])
		cells_put(line, CELL_FOOT, browser->message);
	else
		put_keys(top->ops->keys, line);
	(void)snprintf(place, sizeof(place), " %zu/%zu", count ? top->selected + 1 : 0, count);
	if (line->used + strlen(place) <= line->columns)
		cells_put_right(line, CELL_FOOT, place, line->columns - line->used);
}

uint32_t browser_cursor(const struct browser *browser)
{
	const char *prompt = browser->top->ops->filter ? "Functions with: " : "Search: ";

	if (browser->asking != ASKS_TEXT)
		return UINT32_MAX;
	return (uint32_t)strlen(prompt) + cells_width(browser->typed, strlen(browser->typed));
}

/* The pane's lines from `line` on, as many as there are. */
static void draw_pane(struct browser *browser, struct pane *pane, struct cells *line,
		      uint32_t lines)
{
	size_t count = pane->ops->count(pane);
	bool search = browser->search[0] && pane == browser->top;
	uint32_t at = 0;

	line[at].rest = CELL_TITLE;
	pane->ops->title(pane, &line[at++]);
	if (has_heading(pane) && at < lines)
		pane->ops->heading(pane, &line[at++]);
	for (size_t row = pane->first; row < count && at < lines; row++, at++) {
		pane->ops->row(pane, row, &line[at]);
		line[at].selected = row == pane->selected && pane == browser->top;
		if (search)
			cells_mark(&line[at], browser->search);
	}
}

void browser_draw(struct browser *browser, struct cells *lines)
{
	uint32_t body = browser->rows - (browser->rows > 1), sheet;
	struct pane *top = browser->top;

	for (uint32_t i = 0; i < browser->rows; i++)
		cells_clear(&lines[i], browser->columns);
	if (top->ops->sheet && top->below) {
		sheet = room_of(browser, top) + 1;
		sheet = sheet < body ? sheet : body;
		draw_pane(browser, top->below, lines, body);
		for (uint32_t i = body - sheet; i < body; i++)
			cells_clear(&lines[i], browser->columns);
		draw_pane(browser, top, lines + body - sheet, sheet);
	} else {
		draw_pane(browser, top, lines, body);
	}
	if (body < browser->rows)
		put_foot(browser, &lines[body]);
}

/* What every figure on the screen suffers from. */
static void say_damage(struct browser *browser)
{
	const struct profile_meta *meta = &browser->shared.profile->meta;

	if (meta->damage.v && meta->truncated_bytes)
		browser_say(browser, "damaged: %s; %llu bytes are missing (i: more)",
			    profile_string(browser->shared.profile, meta->damage),
			    (unsigned long long)meta->truncated_bytes);
	else if (meta->damage.v)
		browser_say(browser, "damaged: %s (i: more)",
			    profile_string(browser->shared.profile, meta->damage));
	else if (meta->truncated_bytes)
		browser_say(browser, "%llu bytes of the recording are missing (i: more)",
			    (unsigned long long)meta->truncated_bytes);
}

static void show_event(struct browser *browser, const char *text, int value)
{
	(void)text;
	browser_push(browser, pane_entries_new(&browser->shared, (uint16_t)value, false));
}

/* With several events the lowest pane is their menu. */
static void begin(struct browser *browser)
{
	const struct profile *p = browser->shared.profile;
	struct pane *menu = pane_menu_new("Events of the recording", MENU_ROOT, show_event);
	size_t tables = 0;
	uint16_t first = 0;

	for (size_t i = p->events.count; i-- > 0;)
		if (report_has_table(p, browser->shared.view, (uint16_t)i)) {
			first = (uint16_t)i;
			tables++;
		}
	for (size_t i = 0; i < p->events.count; i++)
		if (report_has_table(p, browser->shared.view, (uint16_t)i))
			pane_menu_add(menu, (int)i, "%8llu %s",
				      (unsigned long long)p->events.item[i].samples,
				      profile_string(p, p->events.item[i].name));
	if (tables > 1) {
		browser_push(browser, menu);
		return;
	}
	menu->ops->free(menu);
	browser_push(browser, pane_entries_new(&browser->shared, first, true));
}

int browser_new(const struct profile *profile, const struct report_options *view,
		const struct browser_host *host, struct browser **ret, struct err *err)
{
	struct browser *browser = mem_zalloc(sizeof(*browser));
	struct browser_shared *shared = &browser->shared;

	*shared = (struct browser_shared){
		.profile = profile, .view = view, .host = host, .act = act
	};
	shared->context.profile = profile;
	if (report_columns_parse(view, &shared->columns, err) ||
	    report_parent_new(profile, view->parent, &browser->parent, err)) {
		vec_done(&shared->columns);
		free(browser);
		return err->code;
	}
	shared->context.parent = browser->parent;
	report_symbols_init(&shared->context.symbols, profile);
	browser->rows = 24;
	browser->columns = 80;
	begin(browser);
	say_damage(browser);
	*ret = browser;
	return 0;
}

void browser_free(struct browser *browser)
{
	if (!browser)
		return;
	while (browser->top)
		browser_pop(browser);
	report_symbols_done(&browser->shared.context.symbols);
	report_parent_free(browser->parent);
	vec_done(&browser->shared.columns);
	free(browser);
}
