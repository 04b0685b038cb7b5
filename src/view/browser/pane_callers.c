/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callers and callees (see pane_callers.h). A sample counts once for each of them, however often
 * the function recurs in its stack. What is inlined into a function is the function itself, as in
 * the list. */
#include "view/browser/pane_callers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "view/browser/browser.h"
#include "view/browser/pane.h"
#include "view/browser/pane_code.h"
#include "view/report/report.h"
#include "view/report/report_filter.h"
#include "view/report/report_table.h"

#define PERCENT_COLUMNS 9

enum caller_kind { CALLER, SUBJECT, CALLEE };

struct caller {
	enum caller_kind kind;
	uint32_t symbol;
	uint64_t weight, self;
	size_t seen; /* the last sample counted + 1 */
};

struct pane_callers {
	struct pane pane; /* first */
	const struct browser_shared *shared;
	uint32_t symbol;
	uint16_t event;
	struct report_zoom zoom;
	uint64_t whole;
	VEC(struct caller) rows;
};

static void count_in(struct pane_callers *p, struct map *place, struct caller one, size_t sample)
{
	bool added;
	uint64_t *at = map_add(place, (uint64_t)one.kind << 32 | one.symbol, &added);

	if (added) {
		*at = p->rows.count;
		vec_push(&p->rows, ((struct caller){ .kind = one.kind, .symbol = one.symbol }));
	}
	p->rows.item[*at].self += one.self;
	if (p->rows.item[*at].seen == sample + 1)
		return;
	p->rows.item[*at].seen = sample + 1;
	p->rows.item[*at].weight += one.weight;
}

static void count_sample(struct pane_callers *p, struct map *place, size_t index)
{
	const struct profile *profile = p->shared->profile;
	const struct profile_sample *sample = &profile->samples.item[index];
	const uint32_t *symbols = p->shared->context.symbols.of_frame;
	struct caller one = { .weight = sample->weight };
	uint32_t below = UINT32_MAX;
	bool inside = true; /* what is below is inlined here */

	for (stack_id at = sample->stack; at.v != STACK_EMPTY.v;) {
		const struct stack_node *node = &profile->nodes.item[at.v];
		uint32_t symbol = symbols[node->frame.v];

		if (symbol == p->symbol) {
			one.kind = SUBJECT;
			one.symbol = symbol;
			one.self = inside ? sample->weight : 0;
			count_in(p, place, one, index);
			one.self = 0;
			one.kind = CALLEE;
			one.symbol = below;
			if (below != UINT32_MAX)
				count_in(p, place, one, index);
		}
		if (below == p->symbol) {
			one.kind = CALLER;
			one.symbol = symbol;
			count_in(p, place, one, index);
		}
		below = symbol;
		inside &= profile->frames.item[node->frame.v].inlined;
		at = node->parent;
	}
}

static int compare(const void *a, const void *b)
{
	const struct caller *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->weight != y->weight) /* the largest caller is next to the function, as the callee */
		return (x->weight > y->weight) == (x->kind == CALLER) ? 1 : -1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static void put_title(struct pane *pane, struct cells *line)
{
	struct pane_callers *p = (struct pane_callers *)pane;
	struct buf name = { 0 };

	report_symbol_name(&p->shared->context.symbols, p->symbol, &name);
	cells_printf(line, CELL_TITLE, "Callers and callees of %s", name.data);
	buf_done(&name);
}

static void put_heading(struct pane *pane, struct cells *line)
{
	(void)pane;
	cells_put(line, CELL_HEADING, "   Total  Function");
	line->rest = CELL_HEADING;
}

static size_t count(struct pane *pane)
{
	return ((struct pane_callers *)pane)->rows.count;
}

static void put_row(struct pane *pane, size_t row, struct cells *line)
{
	struct pane_callers *p = (struct pane_callers *)pane;
	const struct caller *one = &p->rows.item[row];
	double percent = p->whole ? 100.0 * (double)one->weight / (double)p->whole : 0;
	const struct report_symbols *symbols = &p->shared->context.symbols;
	struct buf name = { 0 };
	char text[24];

	(void)snprintf(text, sizeof(text), "%.2f%%", percent);
	cells_put_right(line, cells_share_style(percent), text, PERCENT_COLUMNS - 1);
	cells_put(line, CELL_PLAIN,
		  one->kind == SUBJECT	? "  "
		  : one->kind == CALLER ? "    "
					: "      ");
	cells_put(line, CELL_MARK,
		  one->kind == CALLER	? "called by "
		  : one->kind == CALLEE ? "calls "
					: "");
	report_symbol_name(symbols, one->symbol, &name);
	cells_put(line, one->kind == SUBJECT ? CELL_KEY : CELL_PLAIN, name.data ? name.data : "");
	if (one->kind == SUBJECT && p->whole)
		cells_printf(line, CELL_FAINT, "  (%.2f%% in itself)",
			     100.0 * (double)one->self / (double)p->whole);
	buf_done(&name);
}

static struct pane *new_pane(const struct pane_callers *like, uint32_t symbol);

/* On to one of them. */
static bool act(struct pane *pane, struct browser *browser, enum browser_action action)
{
	struct pane_callers *p = (struct pane_callers *)pane;
	uint32_t symbol;

	if (action == BROWSER_ANNOTATE && pane->selected < p->rows.count) {
		pane_code_open(browser, p->rows.item[pane->selected].symbol, p->event);
		return true;
	}
	if ((action != BROWSER_ENTER && action != BROWSER_CALLERS) ||
	    pane->selected >= p->rows.count)
		return false;
	symbol = p->rows.item[pane->selected].symbol;
	if (symbol == p->symbol)
		return true;
	browser_push(browser, new_pane(p, symbol));
	return true;
}

static void free_pane(struct pane *pane)
{
	vec_done(&((struct pane_callers *)pane)->rows);
	free(pane);
}

static const struct pane_ops callers_ops = {
	.title = put_title,
	.heading = put_heading,
	.count = count,
	.row = put_row,
	.act = act,
	.free = free_pane,
	.keys = "Enter on to this function  a annotate  / search  q back",
};

static struct pane *new_pane(const struct pane_callers *like, uint32_t symbol)
{
	struct pane_callers *p = mem_zalloc(sizeof(*p));
	const struct profile *profile = like->shared->profile;
	struct map place = { 0 };

	*p = *like;
	p->pane = (struct pane){ .ops = &callers_ops };
	memset(&p->rows, 0, sizeof(p->rows));
	p->symbol = symbol;
	for (size_t i = 0; i < profile->samples.count; i++)
		if (profile->samples.item[i].event == p->event &&
		    report_filter_has_thread(&p->zoom, profile, &profile->samples.item[i]))
			count_sample(p, &place, i);
	map_done(&place);
	if (p->rows.count)
		qsort(p->rows.item, p->rows.count, sizeof(*p->rows.item), compare);
	for (size_t i = 0; i < p->rows.count; i++)
		if (p->rows.item[i].kind == SUBJECT)
			p->pane.selected = i;
	return &p->pane;
}

struct pane *pane_callers_new(const struct browser_shared *shared, const struct report_table *table,
			      uint32_t symbol)
{
	const struct pane_callers like = { .shared = shared,
					   .event = table->event,
					   .zoom = table->options->zoom,
					   .whole = table->weight };

	return new_pane(&like, symbol);
}
