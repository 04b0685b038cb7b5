/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help generated from option tables: the text of --help and the OPTIONS section of a man page
 * (mdoc, see mdoc(7)). Both have the same contents. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "command/command.h"
#include "command/option/option.h"

#define WIDTH	    80
#define HELP_COLUMN 28

/* A buf of help text never reaches its limit, so results of appending are ignored here. */

/* The value's name without the brackets of optional ones. */
static void put_arg(struct buf *buf, const char *arg)
{
	size_t skip = arg[0] == '[' ? 1 + (arg[1] == '=') : 0;

	(void)buf_append(buf, arg + skip, strlen(arg + skip) - (skip > 0));
}

static void put_value(struct buf *buf, const struct option_def *row)
{
	if (!row->arg)
		return;
	if (row->arg[0] == '[') {
		(void)buf_puts(buf, row->arg[1] == '=' ? "[=" : " [");
		put_arg(buf, row->arg);
		(void)buf_putc(buf, ']');
	} else {
		(void)buf_printf(buf, " %s", row->arg);
	}
}

/* Wraps text between HELP_COLUMN and WIDTH; the cursor is at `column`. */
static void put_wrapped(struct buf *buf, const char *text, size_t column)
{
	if (column + 2 > HELP_COLUMN) {
		(void)buf_putc(buf, '\n');
		column = 0;
	}
	(void)buf_printf(buf, "%*s", (int)(HELP_COLUMN - column), "");
	column = HELP_COLUMN;
	while (*text) {
		size_t len = strcspn(text, " ");

		if (column > HELP_COLUMN && column + 1 + len > WIDTH) {
			(void)buf_printf(buf, "\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			(void)buf_putc(buf, ' ');
			column++;
		}
		(void)buf_append(buf, text, len);
		column += len;
		text += len + strspn(text + len, " ");
	}
	(void)buf_putc(buf, '\n');
}

void option_put_help(const struct option_def *row, struct buf *ret)
{
	(void)buf_puts(ret, row->help);
	if (row->words) {
		(void)buf_putc(ret, ' ');
		row->words(ret);
	}
}

static void put_row(struct buf *buf, const struct option_def *row)
{
	size_t start = buf->len;
	struct buf help = { 0 };

	if (row->letter)
		(void)buf_printf(buf, "  -%c%s", row->letter, row->name ? ", " : "");
	else
		(void)buf_puts(buf, "      ");
	if (row->name)
		(void)buf_printf(buf, "--%s", row->name);
	put_value(buf, row);
	option_put_help(row, &help);
	put_wrapped(buf, help.data, buf->len - start);
	buf_done(&help);
}

const char *command_last_name(const struct command *command)
{
	const char *blank = strrchr(command->name, ' ');

	return blank ? blank + 1 : command->name;
}

static void put_subcommands(struct buf *buf, const struct command *const *sub)
{
	(void)buf_putc(buf, '\n');
	for (; *sub; sub++)
		(void)buf_printf(buf, "  %-16s%s\n", command_last_name(*sub), (*sub)->summary);
}

void option_help(const struct command *command, struct buf *ret)
{
	const struct command *of = command->otherwise ? command->otherwise : command;
	const struct option_def *row;
	bool heading = false;

	(void)buf_printf(ret, "usage: cupel %s%s%s\n\n%s\n", command->name,
			 command->args ? " " : "", command->args ? command->args : "",
			 command->summary);
	if (command->sub)
		put_subcommands(ret, command->sub);
	if (of != command)
		(void)buf_printf(ret, "\nWithout one of them, these are the options, as of '%s':\n",
				 of->name);
	for (size_t n = 0; (row = option_row(of->options, n)); n++) {
		if (!row->help && row->type != OPT_GROUP)
			continue;
		if (row->type == OPT_GROUP)
			(void)buf_printf(ret, "\n%s:\n", row->name);
		else if (!heading)
			(void)buf_putc(ret, '\n');
		heading = true;
		if (row->type != OPT_GROUP)
			put_row(ret, row);
	}
}

/* One word of a roff line. A backslash would be an escape, and a dot or quote at the beginning of a
 * line a request. */
static void put_roff(struct buf *buf, const char *word, size_t len)
{
	if (*word == '.' || *word == '\'')
		(void)buf_puts(buf, "\\&");
	for (size_t i = 0; i < len; i++)
		if (word[i] == '\\')
			(void)buf_puts(buf, "\\e");
		else if (word[i] == '-')
			(void)buf_puts(buf, "\\-");
		else
			(void)buf_putc(buf, word[i]);
}

/* Running text, in lines as mandoc likes them. */
static void put_roff_text(struct buf *buf, const char *text)
{
	size_t start = buf->len;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (buf->len > start)
			(void)buf_putc(buf, buf->len - start + len > WIDTH - 8 ? '\n' : ' ');
		if (buf->len > start && buf->data[buf->len - 1] == '\n')
			start = buf->len;
		put_roff(buf, text, len);
		text += len + strspn(text + len, " ");
	}
}

/* Words of an .Ar macro: those that mdoc would read as a macro or a delimiter are hidden by \&. */
static void put_man_value(struct buf *buf, const struct option_def *row)
{
	struct buf arg = { 0 };

	if (!row->arg)
		return;
	put_arg(&arg, row->arg);
	if (row->arg[0] == '[' && row->arg[1] == '=')
		(void)buf_puts(buf, " Ns Op = Ns");
	else if (row->arg[0] == '[')
		(void)buf_puts(buf, " Op");
	(void)buf_puts(buf, " Ar ");
	for (const char *p = arg.data; p && *p; p++) {
		if (p == arg.data || p[-1] == ' ')
			(void)buf_puts(buf, "\\&");
		(void)buf_putc(buf, *p);
	}
	buf_done(&arg);
}

static void put_man_row(struct buf *buf, const struct option_def *row)
{
	struct buf help = { 0 };

	(void)buf_puts(buf, ".It");
	if (row->letter)
		(void)buf_printf(buf, " Fl %c%s", row->letter, row->name ? " ," : "");
	if (row->name) {
		(void)buf_puts(buf, " Fl \\-");
		put_roff(buf, row->name, strlen(row->name));
	}
	put_man_value(buf, row);
	(void)buf_putc(buf, '\n');
	option_put_help(row, &help);
	put_roff_text(buf, help.data);
	(void)buf_puts(buf, ".\n");
	buf_done(&help);
}

void option_man(const struct command *command, struct buf *ret)
{
	const struct option_def *row;
	bool list = false;

	for (const struct command *const *sub = command->sub; sub && *sub; sub++) {
		(void)buf_printf(ret, ".Ss %s\n", (*sub)->name);
		put_roff_text(ret, (*sub)->summary);
		(void)buf_puts(ret, ".\n");
		option_man(*sub, ret);
	}
	for (size_t n = 0; (row = option_row(command->options, n)); n++) {
		if (!row->help && row->type != OPT_GROUP)
			continue;
		if (row->type == OPT_GROUP) {
			(void)buf_puts(ret, list ? ".El\n.Ss " : ".Ss ");
			put_roff_text(ret, row->name);
			(void)buf_putc(ret, '\n');
			list = false;
			continue;
		}
		if (!list)
			(void)buf_puts(ret, ".Bl -tag -width Ds\n");
		list = true;
		put_man_row(ret, row);
	}
	if (list)
		(void)buf_puts(ret, ".El\n");
}
