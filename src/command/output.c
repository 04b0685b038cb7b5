/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of commands: messages to stderr, data to a file or stdout. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/output.h"
#include "command/reader.h"

const struct option_def output_option_rows[] = {
	{ "json", 0, OPT_FLAG, NULL, OPT(output_options, json), "print JSON" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(output_options, path),
	  "write to FILE instead of standard output" },
	{ .type = OPT_END },
};

/* Messages contain file names and contents: tidy them. */
static void print_message(const char *kind, const char *message)
{
	AUTO_FREE char *line = mem_strdup(message);

	text_tidy(line, strlen(line));
	text_tidy_lines(line, strlen(line)); /* what is not UTF-8 */
	(void)fprintf(stderr, "cupel: %s%s\n", kind, line);
}

void command_print_error(const struct err *err)
{
	print_message("", err->msg);
	if (err->hint[0])
		print_message("hint: ", err->hint);
}

size_t command_terminal_width(const char *path)
{
	struct winsize size;

	if (path && strcmp(path, "-") != 0)
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

int command_usage(struct err *err, const char *fmt, ...)
{
	char what[sizeof(err->msg)];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args); /* truncation is fine */
	va_end(args);
	(void)err_set(err, -EINVAL, "%s", what);
	return EXIT_STATUS_USAGE;
}

void command_warn(const char *fmt, ...)
{
	char what[1024];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args); /* truncation is fine */
	va_end(args);
	print_message("warning: ", what);
}

void command_say(const char *fmt, ...)
{
	char what[PATH_MAX + 256];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args); /* truncation is fine */
	va_end(args);
	text_tidy(what, strlen(what));
	text_tidy_lines(what, strlen(what)); /* what is not UTF-8 */
	(void)fprintf(stderr, "[ cupel: %s ]\n", what);
}

int command_check_output(const char *path, struct err *err)
{
	AUTO_FREE char *copy = NULL;
	const char *folder;
	struct stat st;

	if (!path || strcmp(path, "-") == 0)
		return 0;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR, "%s: %s", path, strerror(EISDIR));
	if (access(path, W_OK) == 0)
		return 0;
	if (errno != ENOENT)
		return err_errno(err, "%s", path);
	copy = mem_strdup(path);
	folder = dirname(copy);
	return access(folder, W_OK) ? err_errno(err, "%s", folder) : 0;
}

int command_write_bytes(const char *path, const struct buf *data, struct err *err)
{
	bool to_stdout = !path || strcmp(path, "-") == 0;
	const char *name = to_stdout ? "standard output" : path;
	int fd = STDOUT_FILENO;
	int ret;

	if (to_stdout)
		(void)fflush(stdout); /* keeps the order; its error shows again at exit */
	else
		fd = reader_open_output(path, err);
	if (fd < 0)
		return fd;
	ret = to_stdout ? reader_write_stdout(data->data, data->len)
			: fd_write_all(fd, data->data, data->len);
	if (ret)
		(void)err_set(err, ret, "%s: %s", name, strerror(-ret));
	if (!to_stdout) {
		struct err ignored = { 0 };
		int end = reader_close_output(path, fd, !ret, ret ? &ignored : err);

		ret = ret ? ret : end;
	}
	return ret;
}

void command_print_notes(const char *notes)
{
	for (const char *p = notes; *p;) {
		size_t len = strcspn(p, "\n");

		command_warn("%.*s", (int)len, p);
		p += len + (p[len] == '\n');
	}
}

int command_program_status(int code, bool launched, int exit_status, const struct err *err)
{
	if (!code)
		return launched ? exit_status : EXIT_STATUS_OK;
	if (launched || !exit_status)
		return -1;
	command_print_error(err);
	return exit_status; /* as a shell: 127 not found, 126 not executable */
}

int command_write_output(const char *path, struct buf *text, struct err *err)
{
	text_tidy_lines(text->data, text->len);
	return command_write_bytes(path, text, err);
}

int command_end_output(int code, const char *path, struct buf *text, struct err *err)
{
	if (!code)
		code = command_write_output(path, text, err);
	buf_done(text);
	return code;
}
