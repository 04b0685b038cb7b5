/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a screen (see cells.h). */
#include "view/browser/cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define HOT_PERCENT  5.0 /* perf's MIN_RED */
#define WARM_PERCENT 0.5 /* perf's MIN_GREEN */

/* The character of tidy UTF-8 at text, *len of its bytes. */
static wchar_t decode(const char *text, size_t most, size_t *len)
{
	uint8_t first = (uint8_t)*text;
	size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	wchar_t letter = bytes == 1 ? first : first & (0x7f >> bytes);

	*len = bytes < most ? bytes : most;
	for (size_t i = 1; i < *len; i++)
		letter = letter << 6 | ((uint8_t)text[i] & 0x3f);
	return letter;
}

/* Those that the locale does not have take one cell. */
static uint32_t letter_width(wchar_t letter)
{
	int width = letter < 0x7f ? 1 : wcwidth(letter);

	return width < 0 ? 1 : (uint32_t)width;
}

/* The bytes that fit into so many cells; *used says how many they take. */
static size_t fitting(const char *text, size_t len, uint32_t room, uint32_t *used)
{
	size_t at = 0, bytes;

	*used = 0;
	while (at < len) {
		uint32_t width = letter_width(decode(text + at, len - at, &bytes));

		if (*used + width > room)
			break;
		*used += width;
		at += bytes;
	}
	return at;
}

uint32_t cells_width(const char *text, size_t len)
{
	uint32_t width;

	(void)fitting(text, len, UINT32_MAX, &width);
	return width;
}

void cells_clear(struct cells *line, uint32_t columns)
{
	buf_clear(&line->text);
	line->spans.count = 0;
	line->used = 0;
	line->columns = columns;
	line->selected = false;
	line->rest = CELL_PLAIN;
}

static void begin(struct cells *line, enum cell_style style)
{
	if (line->spans.count && vec_last(&line->spans)->style == style)
		return;
	vec_push(&line->spans, ((struct cell_span){ line->text.len, style }));
}

static void tidy(char *text, size_t len)
{
	text_tidy_lines(text, len);
	text_tidy(text, len);
}

/* At most `room` cells of the text. */
static void put(struct cells *line, enum cell_style style, const char *text, uint32_t room)
{
	size_t before = line->text.len, keep;
	uint32_t used;

	if (room > line->columns - line->used)
		room = line->columns - line->used;
	begin(line, style);
	/* a character has 4 bytes; combining ones, which take no room, have their limit as well */
	(void)buf_append(&line->text, text, strnlen(text, (size_t)room * 16));
	if (!line->text.data)
		return;
	tidy(line->text.data + before, line->text.len - before);
	keep = fitting(line->text.data + before, line->text.len - before, room, &used);
	line->text.len = before + keep;
	line->text.data[line->text.len] = '\0';
	line->used += used;
}

void cells_put(struct cells *line, enum cell_style style, const char *text)
{
	put(line, style, text, UINT32_MAX);
}

void cells_printf(struct cells *line, enum cell_style style, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args); /* a line is not longer */
	va_end(args);
	cells_put(line, style, text);
}

static void pad(struct cells *line, enum cell_style style, uint32_t width)
{
	if (width > line->columns - line->used)
		width = line->columns - line->used;
	begin(line, style);
	(void)buf_pad(&line->text, ' ', width);
	line->used += width;
}

void cells_put_in(struct cells *line, enum cell_style style, const char *text, uint32_t width)
{
	uint32_t before = line->used;

	put(line, style, text, width);
	pad(line, style, width - (line->used - before));
}

void cells_put_right(struct cells *line, enum cell_style style, const char *text, uint32_t width)
{
	uint32_t wide = cells_width(text, strlen(text));

	pad(line, style, wide < width ? width - wide : 0);
	put(line, style, text, width);
}

void cells_pad_to(struct cells *line, uint32_t column)
{
	if (column > line->used)
		pad(line, CELL_PLAIN, column - line->used);
}

/* The style that a byte has so far. */
static enum cell_style style_at(const struct cells *line, size_t byte)
{
	enum cell_style style = CELL_PLAIN;

	for (size_t i = 0; i < line->spans.count && line->spans.item[i].from <= byte; i++)
		style = line->spans.item[i].style;
	return style;
}

/* [from, to) is a match; the spans behind it are dropped, and made again by the caller. */
static void mark_one(struct cells *line, size_t from, size_t to)
{
	VEC(struct cell_span) spans = { 0 };
	enum cell_style after = style_at(line, to);
	size_t i = 0;

	for (; i < line->spans.count && line->spans.item[i].from < from; i++)
		vec_push(&spans, line->spans.item[i]);
	vec_push(&spans, ((struct cell_span){ from, CELL_MATCH }));
	while (i < line->spans.count && line->spans.item[i].from <= to)
		i++;
	vec_push(&spans, ((struct cell_span){ to, after }));
	for (; i < line->spans.count; i++)
		vec_push(&spans, line->spans.item[i]);
	vec_done(&line->spans);
	line->spans.item = spans.item;
	line->spans.count = spans.count;
	line->spans.capacity = spans.capacity;
}

void cells_mark(struct cells *line, const char *text)
{
	size_t len = strlen(text);
	const char *at = line->text.data;

	while (len && at && (at = strcasestr(at, text))) {
		size_t from = (size_t)(at - line->text.data);

		mark_one(line, from, from + len);
		at += len;
	}
}

enum cell_style cells_share_style(double percent)
{
	return percent >= HOT_PERCENT ? CELL_HOT : percent > WARM_PERCENT ? CELL_WARM : CELL_PLAIN;
}

void cells_done(struct cells *line)
{
	buf_done(&line->text);
	vec_done(&line->spans);
}
