/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of counts (see stat_output.h). */
#include "command/stat/stat_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/stat/stat_options.h"

#define NARROWEST 40 /* columns; less is no terminal that anybody reads */
#define INDENT	  2

static int put_start(const struct stat_output *output, struct err *err)
{
	struct buf text = { 0 };
	char when[32];
	time_t now = time(NULL);
	int code;

	(void)buf_printf(&text, "# started on %s\n", ctime_r(&now, when));
	code = stat_output_write(output, &text, err);
	buf_done(&text);
	return code;
}

int stat_output_open(struct stat_output *output, const struct stat_command_options *options,
		     struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (options->append ? O_APPEND : O_TRUNC);

	*output = (struct stat_output){ .fd = STDERR_FILENO, .name = "standard error" };
	if (options->log_fd) {
		output->fd = (int)options->log_fd;
		output->name = "--log-fd";
		if (fcntl(output->fd, F_GETFD) < 0)
			return err_errno(err, "--log-fd %d", output->fd);
		return 0;
	}
	if (!options->output)
		return 0;
	output->fd = open(options->output, flags, 0644);
	output->name = options->output;
	output->owns = true;
	return output->fd < 0 ? err_errno(err, "%s", options->output) : put_start(output, err);
}

int stat_output_write(const struct stat_output *output, struct buf *text, struct err *err)
{
	int code = 0;

	if (text->len) {
		text_tidy_lines(text->data, text->len);
		code = fd_write_all(output->fd, text->data, text->len);
	}
	buf_clear(text);
	return code ? err_set(err, code, "%s: %s", output->name, strerror(-code)) : 0;
}

void stat_output_put_notes(const struct stat_output *output, const char *notes, struct buf *text)
{
	struct buf all = { 0 };
	struct winsize size;
	bool wrap = !ioctl(output->fd, TIOCGWINSZ, &size) && size.ws_col >= NARROWEST;

	if (!*notes)
		return;
	(void)buf_printf(&all, "not counted here: %s", notes);
	for (char *line = all.data, *end; *line; line = end) {
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		(void)buf_put_wrapped(text, line, 0, INDENT, wrap ? size.ws_col : SIZE_MAX);
	}
	buf_done(&all);
}

void stat_output_close(struct stat_output *output)
{
	if (output->owns)
		fd_close(&output->fd);
}
