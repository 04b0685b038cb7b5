/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pager (see pager.h). It gets the whole text at once. */
#include "command/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/option/option.h"

/* cupel --no-pager COMMAND */
static bool is_forbidden(void)
{
	const struct option_words *words = command_words();

	return words->argc > 1 && strcmp(words->argv[1], "--no-pager") == 0;
}

static const char *choose_pager(void)
{
	const char *own = getenv("CUPEL_PAGER"), *any = getenv("PAGER");

	return own ? own : any ? any : "command -v less >/dev/null || exit 127; exec less";
}

bool pager_is_wanted(const char *pager, const char *term, size_t lines, size_t rows)
{
	return *pager && strcmp(pager, "cat") != 0 && term && *term && strcmp(term, "dumb") != 0 &&
	       rows && lines >= rows; /* the last row is the prompt's */
}

static size_t count_lines(const struct buf *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->len; i++)
		lines += text->data[i] == '\n';
	return lines;
}

static size_t terminal_rows(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_row;
}

/* In the child. Signals are as we got them. */
static void run_pager(const char *pager, int input)
{
	(void)dup2(input, STDIN_FILENO);
	/* what git sets: short text stays, colours, the screen is left alone; all fail harmlessly
	 */
	(void)setenv("LESS", "FRX", false);
	(void)setenv("LV", "-c", false);
	(void)execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(127);
}

/* Returns true if the user has seen the text. Keys such as Ctrl-C are the pager's meanwhile. */
static bool page(const char *pager, const struct buf *text)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before[3];
	static const int signals[3] = { SIGPIPE, SIGINT, SIGQUIT };
	int pipes[2], status = -1;
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC))
		return false;
	child = fork();
	if (child == 0)
		run_pager(pager, pipes[0]);
	(void)close(pipes[0]);
	for (size_t i = 0; i < 3; i++)
		(void)sigaction(signals[i], &ignore, &before[i]);
	if (child > 0)
		(void)fd_write_all(pipes[1], text->data, text->len); /* it may end before */
	(void)close(pipes[1]);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		;
	for (size_t i = 0; i < 3; i++)
		(void)sigaction(signals[i], &before[i], NULL);
	return child > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

int pager_write_output(struct buf *text, struct err *err)
{
	const char *pager = choose_pager();

	if (!is_forbidden() && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
	    pager_is_wanted(pager, getenv("TERM"), count_lines(text), terminal_rows())) {
		text_tidy_lines(text->data, text->len);
		if (page(pager, text))
			return 0;
	}
	return command_write_output(NULL, text, err);
}
