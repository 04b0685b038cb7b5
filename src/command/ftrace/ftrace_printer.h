/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the commands of ftrace write lines while they come: text or JSON, to a file or standard
 * output. */
#ifndef COMMAND_FTRACE_PRINTER_H
#define COMMAND_FTRACE_PRINTER_H

#include "base/buf.h"
#include "format/ftrace/ftrace_json.h"

struct err;
struct ftrace_line;
struct output_options;

struct ftrace_printer {
	int fd;
	const char *name; /* for messages */
	struct ftrace_json json;
	struct buf text; /* what is written next */
};

int ftrace_printer_open(struct ftrace_printer *printer, const struct output_options *output,
			struct err *err);
/* Tidies the text, and writes it. */
int ftrace_printer_write(struct ftrace_printer *printer, char *text, size_t len, struct err *err);
/* Adds a line to the text as JSON, or in the layout of function_graph. */
void ftrace_printer_json(struct ftrace_printer *printer, const struct ftrace_line *line);
void ftrace_printer_graph(struct ftrace_printer *printer, const struct ftrace_line *line);
int ftrace_printer_flush(struct ftrace_printer *printer, struct err *err);
/* Writes the rest, unless `code` is that of an earlier failure. Returns code, or its own. */
int ftrace_printer_close(struct ftrace_printer *printer, int code, struct err *err);

#endif
