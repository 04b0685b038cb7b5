// SPDX-License-Identifier: GPL-2.0-or-later
/* Jump arrows in text (see annotate_arrows.h). */
#include "view/annotate/annotate_arrows.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "profile/annotation.h"

static int compare_length(const void *a, const void *b)
{
	const struct annotate_arrow *x = a, *y = b;
	uint32_t x_len = x->last - x->first, y_len = y->last - y->first;

	if (x_len != y_len)
		return x_len < y_len ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int compare_first(const void *a, const void *b)
{
	const struct annotate_arrow *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->last > y->last ? -1 : x->last < y->last;
}

static void add_arrow(struct annotate_arrows *arrows, uint32_t from, uint32_t to)
{
	bool back = to <= from;

	vec_push(&arrows->list,
		 ((struct annotate_arrow){ back ? to : from, back ? from : to, 0, back }));
}

/* For each lane the rows that are taken, as a bit per row and lane. */
static bool lane_is_free(const uint8_t *taken, const struct annotate_arrow *arrow, uint32_t lane)
{
	for (uint32_t i = arrow->first; i <= arrow->last; i++)
		if (taken[i] & 1u << lane)
			return false;
	return true;
}

static void take_lane(uint8_t *taken, struct annotate_arrow *arrow, uint32_t lane)
{
	for (uint32_t i = arrow->first; i <= arrow->last; i++)
		taken[i] |= (uint8_t)(1u << lane);
	arrow->lane = lane;
}

void annotate_arrows_find(const struct annotation *annotation, struct annotate_arrows *ret)
{
	uint8_t *taken = mem_zalloc(annotation->rows.count + 1);
	size_t kept = 0;

	*ret = (struct annotate_arrows){ 0 };
	for (uint32_t i = 0; i < annotation->rows.count; i++)
		if (annotation->rows.item[i].target != ANNOTATION_NONE)
			add_arrow(ret, i, annotation->rows.item[i].target);
	if (ret->list.count)
		qsort(ret->list.item, ret->list.count, sizeof(*ret->list.item), compare_length);
	for (size_t i = 0; i < ret->list.count; i++) {
		struct annotate_arrow *arrow = &ret->list.item[i];
		uint32_t lane = 0;

		while (lane < ANNOTATE_LANES && !lane_is_free(taken, arrow, lane))
			lane++;
		if (lane == ANNOTATE_LANES)
			continue;
		take_lane(taken, arrow, lane);
		if (lane >= ret->lanes)
			ret->lanes = lane + 1;
		ret->list.item[kept++] = *arrow;
	}
	ret->list.count = kept;
	if (kept)
		qsort(ret->list.item, kept, sizeof(*ret->list.item), compare_first);
	free(taken);
}

void annotate_arrows_done(struct annotate_arrows *arrows)
{
	vec_done(&arrows->list);
}

/* What crosses one cell. */
struct cell {
	bool up, down, back; /* a line, doubled when back */
};

struct row_cells {
	struct cell cell[ANNOTATE_LANES];
	uint32_t out, in; /* outermost lane of an arrow that leaves, that arrives; + 1, 0 = none */
	bool out_back, in_back;
};

static void add_to_row(struct row_cells *cells, const struct annotate_arrow *arrow, uint32_t row)
{
	struct cell *cell = &cells->cell[arrow->lane];
	uint32_t source = arrow->back ? arrow->last : arrow->first;
	uint32_t target = arrow->back ? arrow->first : arrow->last;

	cell->back = arrow->back;
	cell->up = row > arrow->first;
	cell->down = row < arrow->last;
	if (row == source && arrow->lane + 1 > cells->out) {
		cells->out = arrow->lane + 1;
		cells->out_back = arrow->back;
	}
	if (row == target && arrow->lane + 1 > cells->in) {
		cells->in = arrow->lane + 1;
		cells->in_back = arrow->back;
	}
}

static const char *corner(const struct cell *cell)
{
	if (cell->back)
		return cell->up && cell->down ? "╠" : cell->up ? "╚" : "╔";
	return cell->up && cell->down ? "├" : cell->up ? "└" : "┌";
}

/* A cell right of a corner: a horizontal line, which may cross a vertical one. */
static const char *crossing(const struct cell *cell, bool back)
{
	bool vertical = cell->up || cell->down;

	if (!vertical)
		return back ? "═" : "─";
	if (cell->up != cell->down) /* an end of its own on the same row */
		return corner(cell);
	if (cell->back)
		return back ? "╬" : "╫";
	return back ? "╪" : "┼";
}

void annotate_arrows_put(const struct annotate_arrows *arrows, uint32_t row, struct buf *ret)
{
	struct row_cells cells = { 0 };
	uint32_t ends;
	bool back;

	for (size_t i = 0; i < arrows->list.count && arrows->list.item[i].first <= row; i++)
		if (arrows->list.item[i].last >= row)
			add_to_row(&cells, &arrows->list.item[i], row);
	ends = cells.out > cells.in ? cells.out : cells.in;
	back = cells.out > cells.in ? cells.out_back : cells.in_back;
	for (uint32_t lane = arrows->lanes; lane-- > 0;) {
		const struct cell *cell = &cells.cell[lane];

		if (lane + 1 == ends)
			(void)buf_puts(ret, corner(cell));
		else if (lane + 1 < ends)
			(void)buf_puts(ret, crossing(cell, back));
		else
			(void)buf_puts(ret, !cell->up && !cell->down ? " "
					    : cell->back	     ? "║"
								     : "│");
	}
	(void)buf_puts(ret, !ends      ? "  "
			    : cells.in ? (cells.out ? "◆ " : "→ ")
			    : back     ? "═ "
				       : "─ ");
}
