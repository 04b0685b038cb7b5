/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of the commands of ftrace (see ftrace_printer.h). */
#include "command/ftrace/ftrace_printer.h"

#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/output_file.h"
#include "command/output.h"
#include "format/ftrace/ftrace_line.h"

int ftrace_printer_open(struct ftrace_printer *printer, const struct output_options *output,
			struct err *err)
{
	*printer = (struct ftrace_printer){ .fd = STDOUT_FILENO, .name = "standard output" };
	if (!output->path || strcmp(output->path, "-") == 0)
		return 0;
	printer->name = output->path;
	printer->fd = output_file_open_in_place(output->path, 0666);
	return printer->fd < 0 ? output_file_error(output->path, printer->fd, err) : 0;
}

int ftrace_printer_write(struct ftrace_printer *printer, char *text, size_t len, struct err *err)
{
	int code;

	text_tidy_lines(text, len);
	code = fd_write_all(printer->fd, text, len);
	return code ? err_set(err, code, "%s: %s", printer->name, strerror(-code)) : 0;
}

void ftrace_printer_json(struct ftrace_printer *printer, const struct ftrace_line *line)
{
	ftrace_json_add(&printer->json, line, &printer->text);
}

/* The mark in front of long times, as the kernel's. */
static char mark(uint64_t ns)
{
	static const struct {
		uint64_t ns;
		char mark;
	} marks[] = { { 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		      { 1000000, '#' },	   { 100000, '!' },    { 10000, '+' } };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (ns > marks[i].ns)
			return marks[i].mark;
	return ' ';
}

void ftrace_printer_graph(struct ftrace_printer *printer, const struct ftrace_line *line)
{
	struct buf *out = &printer->text;
	int name_len = (int)line->name.len;

	(void)buf_printf(out, " %2d) %10.*s-%-7d |", line->cpu, (int)line->comm.len,
			 line->comm.data, line->pid);
	if (line->has_duration)
		(void)buf_printf(out, " %c %9.3f us", mark(line->duration_ns),
				 (double)line->duration_ns / 1000);
	else
		(void)buf_pad(out, ' ', 15);
	(void)buf_puts(out, " |  ");
	(void)buf_pad(out, ' ', 2 * (size_t)(line->depth < 512 ? line->depth : 512));
	if (line->kind == FTRACE_LINE_EXIT)
		(void)buf_printf(out, "} /* %.*s */\n", name_len, line->name.data);
	else
		(void)buf_printf(out, "%.*s()%s\n", name_len, line->name.data,
				 line->kind == FTRACE_LINE_LEAF ? ";" : " {");
}

int ftrace_printer_flush(struct ftrace_printer *printer, struct err *err)
{
	int code = 0;

	if (printer->text.len)
		code = ftrace_printer_write(printer, printer->text.data, printer->text.len, err);
	buf_clear(&printer->text);
	return code;
}

int ftrace_printer_close(struct ftrace_printer *printer, int code, struct err *err)
{
	ftrace_json_end(&printer->json, &printer->text);
	if (!code)
		code = ftrace_printer_flush(printer, err);
	buf_done(&printer->text);
	if (printer->fd > STDERR_FILENO)
		(void)close(printer->fd); /* what could not be written was reported */
	return code;
}
