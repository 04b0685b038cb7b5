/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of activities: columns as text in BCC's layouts, and as JSON (see activity_tool.h). */
#include <string.h>

#include "base/buf.h"
#include "command/tool/activity/activity_tool.h"

static bool flag(const struct activity_run *run, size_t offset_plus_one)
{
	return *((const bool *)run->options + offset_plus_one - 1);
}

static bool is_shown(const struct activity_run *run, const struct activity_column *column)
{
	return (!column->only_with || flag(run, column->only_with)) &&
	       (!column->not_with || !flag(run, column->not_with));
}

/* A value in its place; the last column has no blanks behind it. */
static void put_cell(const struct activity_column *column, const char *text, bool last,
		     struct buf *out)
{
	int most = column->most ? column->most : (int)strlen(text);

	if (column->width < 0 && last)
		(void)buf_printf(out, "%.*s", most, text);
	else
		(void)buf_printf(out, "%*.*s", column->width, most, text);
}

static bool is_last(const struct activity_run *run, const struct activity_column *column)
{
	for (column++; column->head; column++)
		if (is_shown(run, column))
			return false;
	return !run->tool->put_rest;
}

static const char *comma_of(const struct activity_run *run)
{
	return run->options->csv ? "," : run->tool->comma ? run->tool->comma : " ";
}

void activity_put_heads(const struct activity_run *run, struct buf *out)
{
	const char *comma = "";

	for (const struct activity_column *column = run->tool->column; column->head; column++) {
		if (!is_shown(run, column))
			continue;
		(void)buf_puts(out, comma);
		if (run->options->csv)
			(void)buf_puts(out, column->head);
		else
			put_cell(column, column->head, is_last(run, column), out);
		comma = comma_of(run);
	}
	(void)buf_putc(out, '\n');
}

/* On one line; other control characters are dealt with as all text is. */
static void put_on_one_line(const struct buf *cell, struct buf *ret)
{
	const char *at = cell->data;

	buf_clear(ret);
	(void)buf_puts(ret, "");
	for (size_t len; *at; at += len) {
		len = strcspn(at, "\n\t");
		(void)buf_append(ret, at, len);
		if (!at[len])
			continue;
		(void)buf_puts(ret, at[len] == '\n' ? "\\n" : "\\t");
		len++;
	}
}

void activity_put_line(const struct activity_run *run, const struct activity *from, struct buf *out)
{
	struct buf cell = { 0 }, line = { 0 };
	const char *comma = "";

	for (const struct activity_column *column = run->tool->column; column->head; column++) {
		if (!is_shown(run, column))
			continue;
		(void)buf_puts(out, comma);
		buf_clear(&cell);
		(void)buf_puts(&cell, "");
		column->put(run, column, from, &cell);
		put_on_one_line(&cell, &line);
		if (run->options->csv)
			(void)buf_puts(out, line.data);
		else
			put_cell(column, line.data, is_last(run, column), out);
		comma = comma_of(run);
	}
	buf_done(&cell);
	buf_done(&line);
	if (run->tool->put_rest)
		run->tool->put_rest(run, NULL, from, out);
	else
		(void)buf_putc(out, '\n');
}

void activity_put_json(const struct activity_run *run, const struct activity *from, struct buf *out)
{
	struct buf cell = { 0 };
	const char *comma = "";

	for (const struct activity_column *column = run->tool->column; column->head; column++) {
		if (!column->key || (run->tool->tool.print && !is_shown(run, column)))
			continue; /* what sums are not by has no value */
		(void)buf_printf(out, "%s\"%s\":", comma, column->key);
		comma = ",";
		if (column->raw) {
			column->raw(run, column, from, out);
			continue;
		}
		buf_clear(&cell);
		(void)buf_puts(&cell, "");
		column->put(run, column, from, &cell);
		(void)buf_put_json(out, cell.data);
	}
	buf_done(&cell);
}
