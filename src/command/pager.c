/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pager (see pager.h). Its process is started before the sandbox, which could not, and waits
 * for the first text; without text it ends without a trace. */
#include "command/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "command/command.h"
#include "command/option/option.h"

/* In front of the command or behind it; what follows -- is a program's. */
static bool is_forbidden(void)
{
	const struct option_words *words = command_words();

	for (int i = 1; i < words->argc && strcmp(words->argv[i], "--") != 0; i++)
		if (strcmp(words->argv[i], "--no-pager") == 0)
			return true;
	return false;
}

static const char *choose_pager(void)
{
	static const char *const names[] = { "CUPEL_PAGER", "PERF_PAGER", "PAGER" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]))
			return getenv(names[i]);
	return "less";
}

bool pager_is_wanted(const char *pager, const char *term, size_t lines, size_t rows)
{
	return *pager && strcmp(pager, "cat") != 0 && term && *term && strcmp(term, "dumb") != 0 &&
	       rows && lines >= rows; /* the last row is the prompt's */
}

static size_t count_lines(const char *data, size_t len)
{
	size_t lines = 0;

	for (size_t i = 0; i < len; i++)
		lines += data[i] == '\n';
	return lines;
}

static size_t terminal_rows(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_row;
}

/* In the child. Signals are as we got them. */
static _Noreturn void wait_and_run(const char *pager, int input)
{
	/* One that is not there has read nothing. Ctrl-C is the pager's, and not its shell's. */
	static const char script[] = "trap : INT QUIT; sh -c \"$1\"; [ $? -ne 127 ] || exec cat";
	struct pollfd text = { STDIN_FILENO, POLLIN, 0 };

	if (dup2(input, STDIN_FILENO) < 0)
		_exit(127);
	(void)close_range(STDERR_FILENO + 1, UINT_MAX, 0); /* readers of pipes must see their end */
	while (poll(&text, 1, -1) < 0 && errno == EINTR)
		;
	if (!(text.revents & POLLIN))
		_exit(0);
	/* short text stays, colours, long lines are cut, the screen is left alone: as git and perf
	 */
	(void)setenv("LESS", "FRSX", false);
	(void)setenv("LV", "-c", false);
	(void)execl("/bin/sh", "sh", "-c", script, "sh", pager, (char *)NULL);
	_exit(127);
}

void pager_start(struct pager *pager)
{
	const char *command = choose_pager();
	size_t rows = terminal_rows();
	int pipes[2];
	pid_t pid;

	if (pager->pid || is_forbidden() || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    !pager_is_wanted(command, getenv("TERM"), SIZE_MAX, rows) || pipe2(pipes, O_CLOEXEC))
		return;
	pid = fork();
	if (pid == 0)
		wait_and_run(command, pipes[0]);
	(void)close(pipes[0]);
	if (pid > 0)
		*pager = (struct pager){ .pid = pid, .fd = pipes[1], .rows = rows };
	else
		(void)close(pipes[1]);
}

/* Keys such as Ctrl-C are the pager's while it runs; that it ends is no reason to. */
static void take_over(struct pager *pager)
{
	static const int signals[] = { SIGPIPE, SIGINT, SIGQUIT };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)sigaction(signals[i], &ignore, NULL);
	pager->shown = true;
}

void pager_write(struct pager *pager, const char *data, size_t len)
{
	if (pager->left)
		return;
	if (!pager->shown) {
		(void)buf_append(&pager->held, data, len); /* without a limit */
		pager->lines += count_lines(data, len);
		if (pager->lines < pager->rows)
			return;
		take_over(pager);
		data = pager->held.data;
		len = pager->held.len;
	}
	pager->left = fd_write_all(pager->fd, data, len) != 0;
	buf_done(&pager->held);
}

int pager_end(struct pager *pager)
{
	int status, code = 0;

	if (!pager->pid)
		return 0;
	(void)close(pager->fd);
	while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!pager->shown)
		code = fd_write_all(STDOUT_FILENO, pager->held.data, pager->held.len);
	buf_done(&pager->held);
	*pager = (struct pager){ .left = pager->left };
	return code;
}
