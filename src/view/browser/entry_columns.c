/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of the list (see entry_columns.h). */
#include "view/browser/entry_columns.h"

#include <string.h>

#include "view/report/report_page.h"

#define GAP	2  /* blanks between columns */
#define LEAST	8  /* that a column of text is cut to */
#define NAME	30 /* what the last column should have */
#define NO_MORE SIZE_MAX

static uint32_t used(const struct entry_columns *columns, size_t count)
{
	uint32_t sum = 0;

	for (size_t c = 0; c < count; c++)
		if (columns->width[c])
			sum += columns->width[c] + (c + 1 < count ? GAP : 0);
	return sum;
}

static bool is_interval(const struct report_column *column)
{
	return column->measure == REPORT_SELF_INTERVAL ||
	       column->measure == REPORT_CHILDREN_INTERVAL;
}

/* The first one of a kind that is still shown, but for the name. */
static size_t find_first(const struct report_page *page, const struct entry_columns *columns,
			 bool (*is)(const struct report_column *), size_t count)
{
	for (size_t c = 0; c + 1 < count; c++)
		if (columns->width[c] && is(page->columns->item[c]))
			return c;
	return NO_MORE;
}

static bool is_text(const struct report_column *column)
{
	return column->measure == REPORT_KEY;
}

static bool is_any(const struct report_column *column)
{
	(void)column;
	return true;
}

/* The widest column of text that can become narrower. */
static size_t find_widest(const struct report_page *page, const struct entry_columns *columns,
			  size_t count)
{
	size_t widest = NO_MORE;

	for (size_t c = 0; c + 1 < count; c++)
		if (is_text(page->columns->item[c]) && columns->width[c] > LEAST &&
		    (widest == NO_MORE || columns->width[c] > columns->width[widest]))
			widest = c;
	return widest;
}

static void drop(const struct report_page *page, uint32_t room, struct entry_columns *columns,
		 bool (*is)(const struct report_column *), size_t count)
{
	size_t c;

	while (used(columns, count) > room && (c = find_first(page, columns, is, count)) != NO_MORE)
		columns->width[c] = 0;
}

void entry_columns_fit(const struct report_page *page, uint32_t room, struct entry_columns *ret)
{
	size_t count = page->columns->count < ENTRY_COLUMNS ? page->columns->count : ENTRY_COLUMNS;
	uint32_t name;
	size_t c;

	memset(ret, 0, sizeof(*ret));
	if (!count)
		return;
	for (c = 0; c < count; c++)
		ret->width[c] = page->width[c] < UINT16_MAX ? (uint32_t)page->width[c] : UINT16_MAX;
	name = ret->width[count - 1];
	if (name > NAME)
		ret->width[count - 1] = NAME;
	drop(page, room, ret, is_interval, count);
	while (used(ret, count) > room && (c = find_widest(page, ret, count)) != NO_MORE)
		ret->width[c]--;
	if (ret->width[count - 1] > NAME / 2 && used(ret, count) > room)
		ret->width[count - 1] = NAME / 2;
	drop(page, room, ret, is_text, count);
	drop(page, room, ret, is_any, count);
	/* the name takes what is left */
	ret->width[count - 1] = 0;
	c = used(ret, count);
	ret->width[count - 1] = room > c ? (uint32_t)(room - c) : 1;
}
