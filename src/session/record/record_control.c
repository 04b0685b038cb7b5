/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control channel (see record_control.h). */
#include "session/record/record_control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"

#define BLANK " \t\r"

static const struct {
	const char *word;
	enum record_command command;
} commands[] = {
	{ "enable", RECORD_COMMAND_ENABLE },	 { "disable", RECORD_COMMAND_DISABLE },
	{ "snapshot", RECORD_COMMAND_SNAPSHOT }, { "evlist", RECORD_COMMAND_EVLIST },
	{ "stop", RECORD_COMMAND_STOP },	 { "ping", RECORD_COMMAND_PING },
};

static int open_fds(struct record_control *control, const char *spec, struct err *err)
{
	char *end;
	long fd = strtol(spec, &end, 10), ack = -1;

	if (end != spec && *end == ',') {
		char *start = end + 1;

		ack = strtol(start, &end, 10);
		if (end == start)
			ack = INT32_MAX;
	}
	if (end == spec || *end || fcntl((int)fd, F_GETFD) < 0 ||
	    (ack >= 0 && fcntl((int)ack, F_GETFD) < 0))
		return err_usage(err, "--control fd:%s: not an open file descriptor", spec);
	control->fd = (int)fd;
	control->ack_fd = (int)ack;
	/* The program has no business with them. */
	(void)fcntl(control->fd, F_SETFD, FD_CLOEXEC);
	if (ack >= 0)
		(void)fcntl(control->ack_fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int open_fifos(struct record_control *control, const char *spec, struct err *err)
{
	char path[4096];
	size_t len = strcspn(spec, ",");

	if (len == 0 || len >= sizeof(path))
		return err_usage(err, "--control fifo:%s: invalid path", spec);
	memcpy(path, spec, len);
	path[len] = '\0';
	control->owns = true;
	/* Read and write, so that it does not end when one of several writers closes it. */
	control->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (control->fd < 0)
		return err_errno(err, "--control: %s", path);
	if (!spec[len])
		return 0;
	control->ack_fd = open(spec + len + 1, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (control->ack_fd < 0)
		return err_errno(err, "--control: %s", spec + len + 1);
	return 0;
}

int record_control_open(struct record_control *control, const char *spec, struct err *err)
{
	*control = (struct record_control){ .fd = -1, .ack_fd = -1 };
	if (strncmp(spec, "fd:", 3) == 0)
		return open_fds(control, spec + 3, err);
	if (strncmp(spec, "fifo:", 5) == 0)
		return open_fifos(control, spec + 5, err);
	return err_usage(err,
			 "--control: invalid value '%s': expected fd:CTL[,ACK] or fifo:CTL[,ACK]",
			 spec);
}

void record_control_close(struct record_control *control)
{
	if (!control->owns)
		return;
	fd_close(&control->fd);
	fd_close(&control->ack_fd);
}

/* Reads what is there without blocking, also on descriptors that are not ours to make so. */
static void fill(struct record_control *control)
{
	struct pollfd item = { .fd = control->fd, .events = POLLIN };
	ssize_t n;

	if (control->fd < 0 || poll(&item, 1, 0) <= 0)
		return;
	if (control->len == sizeof(control->line))
		control->len = 0; /* no command is that long */
	n = read(control->fd, control->line + control->len, sizeof(control->line) - control->len);
	if (n > 0)
		control->len += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		control->fd = -1;
}

/* The first word: the name of an event, or options that change nothing here (evlist -v). */
static void take_argument(struct record_control *control, const char *text)
{
	size_t len;

	text += strspn(text, BLANK);
	len = strcspn(text, BLANK);
	memcpy(control->argument, text, len); /* part of the line, which is as long */
	control->argument[len] = '\0';
}

enum record_command record_control_next(struct record_control *control)
{
	enum record_command command = RECORD_COMMAND_UNKNOWN;
	char *end = memchr(control->line, '\n', control->len);
	size_t len;

	if (!end) {
		fill(control);
		end = memchr(control->line, '\n', control->len);
	}
	if (!end)
		return RECORD_COMMAND_NONE;
	*end = '\0';
	len = strcspn(control->line, BLANK);
	take_argument(control, control->line + len);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strlen(commands[i].word) == len &&
		    strncmp(commands[i].word, control->line, len) == 0)
			command = commands[i].command;
	control->len -= (size_t)(end + 1 - control->line);
	memmove(control->line, end + 1, control->len);
	return command;
}

void record_control_ack(struct record_control *control)
{
	if (control->ack_fd >= 0)
		(void)fd_write_all(control->ack_fd, "ack\n", 4); /* there may be no reader */
}
