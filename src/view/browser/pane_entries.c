/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of entries (see pane_entries.h). */
#include "view/browser/pane_entries.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "view/browser/browser.h"
#include "view/browser/browser_files.h"
#include "view/browser/entries.h"
#include "view/browser/entry_columns.h"
#include "view/browser/pane.h"
#include "view/browser/pane_callers.h"
#include "view/browser/pane_code.h"
#include "view/browser/pane_menu.h"
#include "view/report/report_build.h"
#include "view/report/report_chains.h"

#define SIGN_COLUMNS 2
#define INDENT	     2	/* of a level of branches */
#define DEEPEST	     12 /* levels that are indented */
#define KERNEL	     "[kernel.kallsyms]"

struct pane_entries {
	struct pane pane; /* first */
	struct entries entries;
	char filter[256]; /* of functions; "" = none */
};

static struct pane_entries *entries_pane(struct pane *pane)
{
	return (struct pane_entries *)pane;
}

static void put_zoom(const struct pane_entries *p, struct cells *line)
{
	const struct report_zoom *zoom = &p->entries.options.zoom;
	const struct profile *profile = p->entries.shared->profile;

	if (zoom->comm)
		cells_printf(line, CELL_TITLE, ", Thread: %s",
			     profile_string(profile, (string_id){ (uint32_t)zoom->comm - 1 }));
	if (zoom->tid)
		cells_printf(line, CELL_TITLE, ", Thread: %" PRIu64, zoom->tid - 1);
	if (zoom->module)
		cells_printf(line, CELL_TITLE, ", DSO: %s",
			     profile_string(profile, profile->modules.item[zoom->module - 1].name));
	if (p->filter[0])
		cells_printf(line, CELL_TITLE, ", Symbol: %s", p->filter);
}

static void put_title(struct pane *pane, struct cells *line)
{
	struct pane_entries *p = entries_pane(pane);
	const struct profile *profile = p->entries.shared->profile;
	struct report_page *page = &p->entries.page;
	struct buf text = { 0 };
	uint64_t period = 0;

	page->out = &text;
	report_page_put_samples(page);
	page->out = NULL;
	cells_put(line, CELL_TITLE, text.data ? text.data : "");
	buf_done(&text);
	put_zoom(p, line);
	for (size_t i = 0; i < page->table.members.count; i++)
		period += page->table.members.item[i].period;
	cells_printf(line, CELL_TITLE, ", Event count (approx.): %" PRIu64, period);
	if (profile->meta.lost_samples)
		cells_printf(line, CELL_TITLE, ", lost: %" PRIu64, profile->meta.lost_samples);
}

static void put_heading(struct pane *pane, struct cells *line)
{
	struct pane_entries *p = entries_pane(pane);
	const report_columns *columns = p->entries.page.columns;
	struct entry_columns fit;

	entry_columns_fit(&p->entries.page, line->columns - SIGN_COLUMNS, &fit);
	cells_put_in(line, CELL_HEADING, "", SIGN_COLUMNS);
	for (size_t c = 0; c < columns->count && c < ENTRY_COLUMNS; c++) {
		const struct report_column *column = columns->item[c];

		if (!fit.width[c])
			continue;
		if (column->right || column->measure != REPORT_KEY)
			cells_put_right(line, CELL_HEADING, column->heading, fit.width[c]);
		else
			cells_put_in(line, CELL_HEADING, column->heading, fit.width[c]);
		cells_put(line, CELL_HEADING, "  ");
	}
	line->rest = CELL_HEADING;
}

static double share_of(const struct report_page *page, enum report_measure measure,
		       const struct report_cost *cost, size_t member)
{
	uint64_t whole = page->table.members.item[member].weight;
	uint64_t part = measure == REPORT_CHILDREN || measure == REPORT_CHILDREN_INTERVAL
				? cost->total
				: cost->self;

	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* One for each event of a group. */
static void put_measure(struct report_page *page, const struct report_row *row, size_t c,
			uint32_t width, struct cells *line)
{
	const struct report_column *column = page->columns->item[c];
	uint32_t count = (uint32_t)page->table.members.count;
	bool interval = column->measure == REPORT_CHILDREN_INTERVAL ||
			column->measure == REPORT_SELF_INTERVAL;

	for (uint32_t i = 0; i < count; i++) {
		struct report_cost cost = report_table_cost(&page->table, row, i);
		double share = share_of(page, column->measure, &cost, i);

		report_page_measure(page, column, &cost, i);
		cells_put_right(line, interval ? CELL_FAINT : cells_share_style(share),
				page->cell.data ? page->cell.data : "", width / count);
	}
}

static void put_entry(struct pane_entries *p, const struct entry_line *at, struct cells *line)
{
	struct report_page *page = &p->entries.page;
	const struct report_row *row = &page->table.rows.item[at->row];
	struct entry_columns fit;

	entry_columns_fit(page, line->columns - SIGN_COLUMNS, &fit);
	for (size_t c = 0; c < page->columns->count && c < ENTRY_COLUMNS; c++) {
		if (!fit.width[c])
			continue;
		if (page->columns->item[c]->measure == REPORT_KEY) {
			report_page_key(page, row, report_page_key_of(page, c));
			cells_put_in(line, CELL_PLAIN, page->cell.data ? page->cell.data : "",
				     fit.width[c]);
		} else {
			put_measure(page, row, c, fit.width[c], line);
		}
		cells_put(line, CELL_PLAIN, "  ");
	}
}

static void put_branch(struct pane_entries *p, const struct entry_line *at, struct cells *line)
{
	uint32_t depth = at->depth < DEEPEST ? at->depth : DEEPEST;
	char sign[2] = { at->sign, '\0' };

	cells_pad_to(line, 2 + depth * INDENT);
	cells_put(line, CELL_MARK, sign);
	cells_put(line, CELL_PLAIN, " ");
	if (at->percent >= 0)
		cells_printf(line, cells_share_style(at->percent), "%.2f%% ", at->percent);
	buf_clear(&p->entries.page.cell);
	report_chains_put_name(p->entries.chains, at->node, &p->entries.page.cell);
	cells_put(line, CELL_PLAIN, p->entries.page.cell.data ? p->entries.page.cell.data : "");
}

static void put_row(struct pane *pane, size_t row, struct cells *line)
{
	struct pane_entries *p = entries_pane(pane);
	const struct entry_line *at = &p->entries.lines.item[row];

	if (at->node) {
		put_branch(p, at, line);
		return;
	}
	cells_put(line, CELL_MARK, at->sign == '+' ? "+ " : at->sign == '-' ? "- " : "  ");
	put_entry(p, at, line);
}

static size_t count(struct pane *pane)
{
	return entries_pane(pane)->entries.lines.count;
}

static void rebuild(struct pane_entries *p)
{
	p->entries.options.symbol_filter = p->filter[0] ? p->filter : NULL;
	entries_rebuild(&p->entries);
	p->pane.selected = p->pane.first = 0;
}

static void filter(struct pane *pane, struct browser *browser, const char *text)
{
	struct pane_entries *p = entries_pane(pane);

	(void)snprintf(p->filter, sizeof(p->filter), "%s", text);
	rebuild(p);
	if (!p->entries.lines.count)
		browser_say(browser, "no function has '%s' in its name: Esc shows all", p->filter);
}

static bool toggle_zoom(uint64_t *zoom, uint64_t value)
{
	*zoom = *zoom ? 0 : value + 1;
	return true;
}

/* Of a table without threads the command. */
static bool zoom_thread(struct pane_entries *p)
{
	struct report_zoom *zoom = &p->entries.options.zoom;
	uint64_t value = 0;

	if (zoom->tid || entries_key(&p->entries, p->pane.selected, "pid", &value))
		return toggle_zoom(&zoom->tid, value);
	if (zoom->comm || entries_key(&p->entries, p->pane.selected, "comm", &value))
		return toggle_zoom(&zoom->comm, value);
	return false;
}

static bool zoom_module(struct pane_entries *p)
{
	uint32_t symbol = entries_symbol(&p->entries, p->pane.selected);
	struct report_zoom *zoom = &p->entries.options.zoom;
	uint64_t module = 0;

	if (!zoom->module && symbol != ENTRY_NO_SYMBOL)
		module = p->entries.shared->context.symbols.symbols.item[symbol].module;
	else if (!zoom->module && !entries_key(&p->entries, p->pane.selected, "dso", &module))
		return false;
	return toggle_zoom(&zoom->module, module);
}

static bool zoom_kernel(struct pane_entries *p)
{
	const struct profile *profile = p->entries.shared->profile;
	struct report_zoom *zoom = &p->entries.options.zoom;

	if (zoom->module)
		return toggle_zoom(&zoom->module, 0);
	for (size_t i = 0; i < profile->modules.count; i++)
		if (strcmp(profile_string(profile, profile->modules.item[i].name), KERNEL) == 0)
			return toggle_zoom(&zoom->module, i);
	return false;
}

static bool zoom(struct pane_entries *p, struct browser *browser, enum browser_action action)
{
	bool done = action == BROWSER_ZOOM_THREAD   ? zoom_thread(p)
		    : action == BROWSER_ZOOM_MODULE ? zoom_module(p)
						    : zoom_kernel(p);

	if (done)
		rebuild(p);
	else
		browser_say(browser, action == BROWSER_ZOOM_KERNEL
					     ? "the profile has no kernel"
					     : "the entries do not have that column: see --sort");
	return true;
}

/* The last filter or zoom goes; false = there is none. */
static bool zoom_out(struct pane_entries *p)
{
	struct report_zoom *zoom = &p->entries.options.zoom;

	if (p->filter[0])
		p->filter[0] = '\0';
	else if (zoom->module)
		zoom->module = 0;
	else if (zoom->comm || zoom->tid)
		zoom->comm = zoom->tid = 0;
	else
		return false;
	rebuild(p);
	return true;
}

static void move(struct pane_entries *p, bool forward)
{
	const struct profile *profile = p->entries.shared->profile;
	size_t count = profile->events.count, event = p->entries.event;

	for (size_t i = 0; i < count; i++) {
		event = (event + (forward ? 1 : count - 1)) % count;
		if (report_has_table(profile, &p->entries.options, (uint16_t)event))
			break;
	}
	p->entries.event = (uint16_t)event;
	rebuild(p);
}

static bool chains(struct pane_entries *p, struct browser *browser, enum browser_action action)
{
	struct entries *e = &p->entries;
	size_t at = p->pane.selected;

	if (!e->chains)
		browser_say(browser, "no call chains: record them with --call-graph");
	else if (action == BROWSER_TOGGLE && at < e->lines.count)
		entries_toggle(e, at);
	else if (action == BROWSER_EXPAND || action == BROWSER_COLLAPSE)
		p->pane.selected = entries_open_row(e, at, action == BROWSER_EXPAND);
	else if (action != BROWSER_TOGGLE)
		p->pane.selected = entries_open_all(e, at, action == BROWSER_EXPAND_ALL);
	return true;
}

static void choose(struct browser *browser, const char *text, int value)
{
	(void)text;
	browser_shared(browser)->act(browser, (enum browser_action)value);
}

static void add_zooms(const struct pane_entries *p, struct pane *menu)
{
	const struct profile *profile = p->entries.shared->profile;
	const struct report_zoom *zoom = &p->entries.options.zoom;
	uint32_t symbol = entries_symbol(&p->entries, p->pane.selected);
	uint64_t value;

	if (zoom->tid || zoom->comm)
		pane_menu_add(menu, BROWSER_ZOOM_THREAD, "Zoom out of the thread");
	else if (entries_key(&p->entries, p->pane.selected, "pid", &value))
		pane_menu_add(menu, BROWSER_ZOOM_THREAD, "Zoom into thread %" PRIu64, value);
	else if (entries_key(&p->entries, p->pane.selected, "comm", &value))
		pane_menu_add(menu, BROWSER_ZOOM_THREAD, "Zoom into thread %s",
			      profile_string(profile, (string_id){ (uint32_t)value }));
	if (zoom->module)
		pane_menu_add(menu, BROWSER_ZOOM_MODULE, "Zoom out of the DSO");
	else if (symbol != ENTRY_NO_SYMBOL) {
		const struct report_symbol *s =
			&p->entries.shared->context.symbols.symbols.item[symbol];

		pane_menu_add(menu, BROWSER_ZOOM_MODULE, "Zoom into DSO %s",
			      profile_string(profile, profile->modules.item[s->module].name));
	}
}

static bool open_menu(struct pane_entries *p, struct browser *browser)
{
	const struct entries *e = &p->entries;
	size_t at = p->pane.selected;
	uint32_t symbol = entries_symbol(e, at);
	struct buf name = { 0 };
	struct pane *menu = pane_menu_new("What to do with this entry", MENU_SHEET, choose);

	if (symbol != ENTRY_NO_SYMBOL) {
		report_symbol_name(&e->shared->context.symbols, symbol, &name);
		if (e->shared->host->annotate)
			pane_menu_add(menu, BROWSER_ANNOTATE, "Annotate %s", name.data);
		pane_menu_add(menu, BROWSER_CALLERS, "Callers and callees of %s", name.data);
		pane_menu_add(menu, BROWSER_FLAME, "Write a flame graph of %s", name.data);
	}
	if (at < e->lines.count && e->lines.item[at].sign != ' ')
		pane_menu_add(menu, BROWSER_TOGGLE, "%s the call chain",
			      e->lines.item[at].sign == '+' ? "Expand" : "Collapse");
	add_zooms(p, menu);
	if (e->shared->host->record)
		pane_menu_add(menu, BROWSER_RECORD, "Write the samples as a recording");
	else
		pane_menu_add(menu, BROWSER_SWITCH, "Switch to another recording in this folder");
	pane_menu_add(menu, BROWSER_QUIT, "Quit");
	buf_done(&name);
	browser_push(browser, menu);
	return true;
}

static bool write_flame(struct pane_entries *p, struct browser *browser)
{
	uint32_t symbol = entries_symbol(&p->entries, p->pane.selected);

	if (symbol == ENTRY_NO_SYMBOL)
		browser_say(browser, "the entry is not a function");
	else
		browser_save_flame(browser, p->entries.event, symbol);
	return true;
}

static bool show_code(struct pane_entries *p, struct browser *browser)
{
	uint32_t symbol = entries_symbol(&p->entries, p->pane.selected);

	if (symbol == ENTRY_NO_SYMBOL)
		browser_say(browser, "the entry is not a function");
	else
		pane_code_open(browser, symbol, p->entries.event);
	return true;
}

static bool show_callers(struct pane_entries *p, struct browser *browser)
{
	uint32_t symbol = entries_symbol(&p->entries, p->pane.selected);

	if (symbol == ENTRY_NO_SYMBOL)
		browser_say(browser, "the entry is not a function");
	else
		browser_push(browser,
			     pane_callers_new(p->entries.shared, &p->entries.page.table, symbol));
	return true;
}

static bool act(struct pane *pane, struct browser *browser, enum browser_action action)
{
	struct pane_entries *p = entries_pane(pane);

	switch (action) {
	case BROWSER_ENTER:
		return open_menu(p, browser);
	case BROWSER_TOGGLE:
	case BROWSER_EXPAND:
	case BROWSER_COLLAPSE:
	case BROWSER_EXPAND_ALL:
	case BROWSER_COLLAPSE_ALL:
		return chains(p, browser, action);
	case BROWSER_ZOOM_THREAD:
	case BROWSER_ZOOM_MODULE:
	case BROWSER_ZOOM_KERNEL:
		return zoom(p, browser, action);
	case BROWSER_RELATIVE:
		p->entries.options.relative = !p->entries.options.relative;
		rebuild(p);
		browser_say(browser, p->entries.options.relative
					     ? "percentages of what the filters leave"
					     : "percentages of everything");
		return true;
	case BROWSER_HEADINGS:
		pane->no_heading = !pane->no_heading;
		return true;
	case BROWSER_NEXT_EVENT:
	case BROWSER_LAST_EVENT:
		move(p, action == BROWSER_NEXT_EVENT);
		return true;
	case BROWSER_FLAME:
		return write_flame(p, browser);
	case BROWSER_ANNOTATE:
		return show_code(p, browser);
	case BROWSER_CALLERS:
		return show_callers(p, browser);
	case BROWSER_BACK:
		return zoom_out(p);
	default:
		return false;
	}
}

static void free_pane(struct pane *pane)
{
	entries_done(&entries_pane(pane)->entries);
	free(pane);
}

#define KEYS "Enter menu  + expand  / filter  t thread  d DSO  ? help  q quit"

static const struct pane_ops root_ops = {
	.title = put_title,
	.heading = put_heading,
	.count = count,
	.row = put_row,
	.act = act,
	.filter = filter,
	.free = free_pane,
	.keys = KEYS,
	.root = true,
};

static const struct pane_ops upper_ops = {
	.title = put_title,
	.heading = put_heading,
	.count = count,
	.row = put_row,
	.act = act,
	.filter = filter,
	.free = free_pane,
	.keys = KEYS,
};

struct pane *pane_entries_new(const struct browser_shared *shared, uint16_t event, bool root)
{
	struct pane_entries *p = mem_zalloc(sizeof(*p));

	p->pane.ops = root ? &root_ops : &upper_ops;
	entries_init(&p->entries, shared, event);
	return &p->pane;
}
