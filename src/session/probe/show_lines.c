/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines with marks at those that have code (see show_source.h). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "session/probe/debug_info.h"
#include "session/probe/probe_source.h"
#include "session/probe/show_source.h"
#include "symbol/dwarf/dwarf_source.h"

#define MORE_LINES 3 /* shown after the last one with code */

struct line_range {
	char name[256]; /* function or file */
	bool function;
	uint32_t first, last; /* relative to the function's declaration; last 0 = open */
};

static int bad_range(const char *text, struct err *err)
{
	return err_usage(err,
			 "invalid lines '%s': expected FUNCTION[:FIRST[-LAST|+COUNT]] or "
			 "FILE:FIRST[-LAST|+COUNT]",
			 text);
}

/* "12", "12-20", "12+8": eight lines */
static bool parse_numbers(const char *text, struct line_range *range)
{
	char *end;
	unsigned long first = strtoul(text, &end, 10), last = 0;

	if (end == text || first > INT_MAX)
		return false;
	if (*end == '-' || *end == '+') {
		const char *second = end + 1;

		last = strtoul(second, &end, 10) + (second[-1] == '+' ? first - 1 : 0);
		if (end == second || last > INT_MAX || last < first)
			return false;
	}
	range->first = (uint32_t)first;
	range->last = (uint32_t)last;
	return !*end;
}

static int parse_range(const char *text, struct line_range *ret, struct err *err)
{
	struct line_range range = { 0 };
	const char *colon = strrchr(text, ':');
	size_t len;

	if (colon && (colon == text || colon[-1] == ':')) /* a::b */
		colon = NULL;
	len = colon ? (size_t)(colon - text) : strcspn(text, "@");
	if (!len || len >= sizeof(range.name) || (colon && !parse_numbers(colon + 1, &range)))
		return bad_range(text, err);
	memcpy(range.name, text, len);
	range.name[strcspn(range.name, "@")] = '\0';
	range.function = !strchr(range.name, '.') && !strchr(range.name, '/');
	if (!range.function && !colon)
		range.first = 1;
	*ret = range;
	return 0;
}

struct marks {
	const char *path;     /* of the lines; NULL = that of the first */
	uint32_t first, last; /* limits */
	VEC(uint32_t) line;
};

static bool add_mark(void *context, const struct dwarf_source_line *line)
{
	struct marks *marks = context;

	if (!line->own || line->line < marks->first || line->line > marks->last)
		return true;
	if (!marks->path)
		marks->path = line->path;
	if (!strcmp(line->path, marks->path))
		vec_push(&marks->line, line->line);
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void put_lines(const struct marks *marks, uint32_t offset, uint32_t last,
		      const struct buf *text, struct buf *out)
{
	const char *at = text->data, *end = at + text->len;
	size_t mark = 0;

	for (uint32_t line = 1; at && at < end && line <= last; line++) {
		size_t len = strcspn(at, "\n");

		while (mark < marks->line.count && marks->line.item[mark] < line)
			mark++;
		if (line >= marks->first) {
			if (mark < marks->line.count && marks->line.item[mark] == line)
				(void)buf_printf(out, "%7u  ", line - offset);
			else
				(void)buf_pad(out, ' ', 9);
			(void)buf_append(out, at, len);
			(void)buf_putc(out, '\n');
		}
		at += len + 1;
	}
}

static int put_range(const struct line_range *range, struct marks *marks, uint32_t offset,
		     struct buf *text, struct buf *out)
{
	uint32_t last = marks->last;

	if (last == INT_MAX)
		last = marks->line.item[marks->line.count - 1] + MORE_LINES;
	if (range->function)
		(void)buf_printf(out, "<%s@%s:%u>\n", range->name, marks->path,
				 marks->first - offset);
	else
		(void)buf_printf(out, "<%s:%u>\n", marks->path, marks->first);
	put_lines(marks, offset, last, text, out);
	return 0;
}

static int find_marks(const struct debug_info *info, const struct line_range *range,
		      struct marks *marks, uint32_t *ret_offset, struct err *err)
{
	struct dwarf_source_line declared;
	struct debug_places places;
	struct dwarf_die function = { 0 };
	int code;

	*ret_offset = 0;
	if (range->function) {
		code = debug_info_functions(info, range->name, &places, err);
		if (code)
			return code;
		function = places.list.item[0].function;
		debug_places_done(&places);
		if (!dwarf_declaration(info->dwarf, &function, &declared))
			return err_set(err, -ENODATA, "%s: %s: debug info has no lines of it",
				       info->path, range->name);
		*ret_offset = declared.line;
		marks->path = declared.path;
	}
	marks->first = *ret_offset + range->first;
	marks->last = range->last ? *ret_offset + range->last : INT_MAX;
	if (range->function)
		dwarf_function_lines(info->dwarf, &function, add_mark, marks);
	else
		dwarf_file_lines(info->dwarf, range->name, add_mark, marks);
	if (!marks->line.count)
		return err_set(err, -ENOENT, "%s: %s: no code at these lines", info->path,
			       range->name);
	qsort(marks->line.item, marks->line.count, sizeof(uint32_t), by_number);
	return 0;
}

int show_lines(const struct debug_info *info, const char *range, const char *source,
	       struct buf *out, struct err *err)
{
	struct line_range wanted;
	struct marks marks = { 0 };
	struct buf text = { 0 };
	uint32_t offset;
	int code = parse_range(range, &wanted, err);

	if (!code)
		code = find_marks(info, &wanted, &marks, &offset, err);
	if (!code)
		code = probe_source_read(marks.path, source, &text, err);
	if (!code)
		code = put_range(&wanted, &marks, offset, &text, out);
	vec_done(&marks.line);
	buf_done(&text);
	return code;
}
