/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source and assembly (see pane_code.h). */
#include "view/browser/pane_code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "profile/annotation.h"
#include "view/annotate/annotate_arrows.h"
#include "view/browser/browser.h"
#include "view/browser/pane.h"

#define SHARE_COLUMNS 8
#define TAB_COLUMNS   8
#define LINES_ABOVE   10 /* the hottest instruction when the pane opens */

/* An instruction, or a line above one. */
enum code_kind { CODE_INSTRUCTION, CODE_SOURCE, CODE_FUNCTION };

struct code_line {
	enum code_kind kind;
	uint32_t row; /* of the annotation */
};

struct pane_code {
	struct pane pane; /* first */
	struct annotation *annotation;
	struct annotate_arrows arrows;
	size_t event;
	uint32_t symbol;
	bool no_source;
	VEC(struct code_line) lines;
	VEC(uint32_t) hottest; /* rows with samples, hottest first */
	size_t next_hot;
};

static double share_of(const struct pane_code *p, uint32_t row)
{
	return 100 * annotation_share(p->annotation, p->event,
				      annotation_count(p->annotation, row, p->event),
				      ANNOTATION_LOCAL_PERIOD);
}

static int compare_shares(const void *a, const void *b, void *context)
{
	const struct pane_code *p = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double first = share_of(p, x), second = share_of(p, y);

	if (first != second)
		return first > second ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void find_hottest(struct pane_code *p)
{
	for (uint32_t i = 0; i < p->annotation->rows.count; i++)
		if (annotation_count(p->annotation, i, p->event)->samples)
			vec_push(&p->hottest, i);
	if (p->hottest.count)
		qsort_r(p->hottest.item, p->hottest.count, sizeof(*p->hottest.item), compare_shares,
			p);
}

/* Above an instruction from another place than the one before. */
static void add_place(struct pane_code *p, const struct annotation_frame **before, uint32_t row)
{
	const struct annotation_frame *place =
		annotation_place(p->annotation, &p->annotation->rows.item[row]);

	if (!place || p->no_source || place == *before)
		return;
	if (!*before || strcmp(place->function, (*before)->function) != 0)
		vec_push(&p->lines, ((struct code_line){ CODE_FUNCTION, row }));
	if (place->line &&
	    (!*before || place->line != (*before)->line || place->source != (*before)->source))
		vec_push(&p->lines, ((struct code_line){ CODE_SOURCE, row }));
	*before = place;
}

static void list_lines(struct pane_code *p)
{
	const struct annotation_frame *before = NULL;

	p->lines.count = 0;
	for (uint32_t i = 0; i < p->annotation->rows.count; i++) {
		add_place(p, &before, i);
		vec_push(&p->lines, ((struct code_line){ CODE_INSTRUCTION, i }));
	}
}

static void select_row(struct pane_code *p, uint32_t row)
{
	for (size_t i = 0; i < p->lines.count; i++)
		if (p->lines.item[i].row == row && p->lines.item[i].kind == CODE_INSTRUCTION)
			p->pane.selected = i;
}

static void select_next_hot(struct pane_code *p, bool from_start)
{
	if (from_start)
		p->next_hot = 0;
	if (p->hottest.count)
		select_row(p, p->hottest.item[p->next_hot++ % p->hottest.count]);
}

static void put_title(struct pane *pane, struct cells *line)
{
	struct pane_code *p = (struct pane_code *)pane;
	const struct annotation_event *event = &p->annotation->events.item[p->event];

	cells_printf(line, CELL_TITLE, "%s  Samples: %" PRIu64 " of event '%s'",
		     p->annotation->function, event->samples.samples, event->name);
	if (p->annotation->problem)
		cells_printf(line, CELL_TITLE, "  (%s)", p->annotation->problem);
	cells_printf(line, CELL_TITLE, "  %s", p->annotation->module);
}

static void put_heading(struct pane *pane, struct cells *line)
{
	const struct pane_code *p = (struct pane_code *)pane;

	cells_put(line, CELL_HEADING, " Percent  Source and assembly");
	if (!p->annotation->events.item[p->event].precise)
		cells_put(line, CELL_HEADING, "   (not precise: the line before is a suspect too)");
	line->rest = CELL_HEADING;
}

static size_t count(struct pane *pane)
{
	return ((struct pane_code *)pane)->lines.count;
}

/* A tab is blanks up to the next stop. */
static void put_source(struct cells *line, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\t");

		cells_printf(line, CELL_SOURCE, "%.*s", (int)len, text);
		text += len;
		if (*text == '\t') {
			cells_printf(line, CELL_SOURCE, "%*s", TAB_COLUMNS, "");
			text++;
		}
	}
}

/* Without its folders, which would fill a narrow screen. */
static const char *file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return !path ? "??" : slash && slash[1] ? slash + 1 : path;
}

static void put_source_line(const struct pane_code *p, uint32_t row, struct cells *line)
{
	const struct annotation_frame *place =
		annotation_place(p->annotation, &p->annotation->rows.item[row]);
	const char *text = place->source == ANNOTATION_NONE
				   ? NULL
				   : annotation_text(p->annotation, place->source, place->line);

	cells_pad_to(line, SHARE_COLUMNS + 1);
	cells_printf(line, CELL_FAINT, "%5u  ", place->line);
	if (text)
		put_source(line, text);
	else
		cells_put(line, CELL_SOURCE, file_name(place->file));
}

/* The function itself, or one that was inlined, and where. */
static void put_function_line(const struct pane_code *p, uint32_t row, struct cells *line)
{
	const struct annotation_row *r = &p->annotation->rows.item[row];
	const struct annotation_frame *place = annotation_place(p->annotation, r);

	cells_pad_to(line, SHARE_COLUMNS + 1);
	cells_printf(line, CELL_FAINT, "%s()", *place->function ? place->function : "??");
	for (uint32_t i = 1; i < r->frames; i++)
		cells_printf(line, CELL_FAINT, "%s %s():%u", i == 1 ? " inlined into" : ",",
			     place[i].function, place[i].line);
}

static void put_instruction(const struct pane_code *p, uint32_t row, struct cells *line)
{
	const struct annotation_row *r = &p->annotation->rows.item[row];
	double share = share_of(p, row);
	struct buf arrows = { 0 };
	char text[24] = "";

	if (annotation_count(p->annotation, row, p->event)->samples)
		(void)snprintf(text, sizeof(text), "%.2f", share);
	cells_put_right(line, cells_share_style(share), text, SHARE_COLUMNS);
	annotate_arrows_put(&p->arrows, row, &arrows);
	cells_printf(line, CELL_MARK, " %s", arrows.data ? arrows.data : "");
	cells_printf(line, CELL_ADDRESS, "%" PRIx64 ": ", r->address);
	cells_printf(line, CELL_PLAIN, " %-7s %s", r->mnemonic, r->operands);
	buf_done(&arrows);
}

static void put_row(struct pane *pane, size_t row, struct cells *line)
{
	struct pane_code *p = (struct pane_code *)pane;
	const struct code_line *at = &p->lines.item[row];

	if (at->kind == CODE_INSTRUCTION)
		put_instruction(p, at->row, line);
	else if (at->kind == CODE_SOURCE)
		put_source_line(p, at->row, line);
	else
		put_function_line(p, at->row, line);
}

/* "memcpy@plt" and "memcpy+0x10" are memcpy. */
static size_t callee_len(const char *callee)
{
	const char *plt = strstr(callee, "@plt"), *inside = strrchr(callee, '+');

	if (plt)
		return (size_t)(plt - callee);
	return inside && !strncmp(inside, "+0x", 3) ? (size_t)(inside - callee) : strlen(callee);
}

/* The function of that name that has samples, of this module rather than of another; false: none.
 */
static bool find_callee(const struct pane_code *p, const struct browser_shared *shared,
			const char *callee, uint32_t *ret)
{
	const struct report_symbols *all = &shared->context.symbols;
	const uint32_t module = all->symbols.item[p->symbol].module;
	const size_t len = callee_len(callee);
	bool found = false;

	for (uint32_t i = 0; i < all->symbols.count; i++) {
		const struct report_symbol *s = &all->symbols.item[i];
		const char *name = profile_string(shared->profile, s->function);

		if (s->inlined || strncmp(name, callee, len) != 0 || name[len] ||
		    (found && s->module != module))
			continue;
		*ret = i;
		found = true;
	}
	return found;
}

static bool follow(struct pane_code *p, struct browser *browser)
{
	const struct code_line *at = &p->lines.item[p->pane.selected];
	const struct annotation_row *row = &p->annotation->rows.item[at->row];
	uint32_t symbol = 0;

	if (at->kind == CODE_INSTRUCTION && row->target != ANNOTATION_NONE)
		select_row(p, row->target);
	else if (at->kind != CODE_INSTRUCTION || !row->callee)
		browser_say(browser, "no jump");
	else if (find_callee(p, browser_shared(browser), row->callee, &symbol))
		pane_code_open(browser, symbol, p->event);
	else
		browser_say(browser, "calls %s, which has no samples", row->callee);
	return true;
}

static bool act(struct pane *pane, struct browser *browser, enum browser_action action)
{
	struct pane_code *p = (struct pane_code *)pane;
	uint32_t row = p->lines.count ? p->lines.item[pane->selected].row : 0;

	switch (action) {
	case BROWSER_ENTER:
		return p->lines.count ? follow(p, browser) : true;
	case BROWSER_NEXT_EVENT:
		select_next_hot(p, false);
		return true;
	case BROWSER_HEADINGS:
		select_next_hot(p, true);
		return true;
	case BROWSER_SWITCH:
		p->no_source = !p->no_source;
		list_lines(p);
		select_row(p, row);
		return true;
	default:
		return false;
	}
}

static void free_pane(struct pane *pane)
{
	struct pane_code *p = (struct pane_code *)pane;

	annotate_arrows_done(&p->arrows);
	annotation_free(p->annotation);
	vec_done(&p->lines);
	vec_done(&p->hottest);
	free(p);
}

static const struct pane_ops code_ops = {
	.title = put_title,
	.heading = put_heading,
	.count = count,
	.row = put_row,
	.act = act,
	.free = free_pane,
	.keys = "Tab next hot  H hottest  Enter follow jump, call  s source  / search  q back",
};

void pane_code_open(struct browser *browser, uint32_t symbol, size_t event)
{
	const struct browser_shared *shared = browser_shared(browser);
	const struct report_symbol *s = &shared->context.symbols.symbols.item[symbol];
	const struct profile *profile = shared->profile;
	const struct browser_function function = {
		profile_string(profile, s->function),
		profile_string(profile, profile->modules.item[s->module].path), s->start
	};
	struct annotation *annotation;
	struct pane_code *p;
	struct err err = { 0 };

	if (!shared->host->annotate) {
		browser_say(browser, "no code can be shown here");
		return;
	}
	if (shared->host->annotate(shared->host->context, &function, &annotation, &err)) {
		browser_say(browser, "%s", err.msg);
		return;
	}
	p = mem_zalloc(sizeof(*p));
	p->pane.ops = &code_ops;
	p->annotation = annotation;
	p->event = event < annotation->events.count ? event : 0;
	p->symbol = symbol;
	annotate_arrows_find(annotation, &p->arrows);
	find_hottest(p);
	list_lines(p);
	select_next_hot(p, true);
	p->pane.first = p->pane.selected -
			(p->pane.selected < LINES_ABOVE ? p->pane.selected : LINES_ABOVE);
	browser_push(browser, &p->pane);
}
