/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See top_terminal.h. Sequences: ECMA-48, and xterm's alternate screen. */
#include "command/top/top_terminal.h"

#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "session/signals.h"

#define ENTER "\033[?1049h\033[?25l" /* another screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"

static int put(struct top_terminal *terminal, const char *text, struct err *err)
{
	struct buf out = { 0 };
	int code;

	(void)buf_puts(&out, text);
	code = async_output_put(terminal->output, &out, err);
	buf_done(&out);
	return code;
}

int top_terminal_enter(struct top_terminal *terminal, struct err *err)
{
	if (!terminal->taken)
		return 0;
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal->raw);
	return put(terminal, ENTER, err);
}

static int open_output(struct top_terminal *terminal, struct err *err)
{
	return async_output_open(STDOUT_FILENO, "standard output", &terminal->output, err);
}

int top_terminal_open(struct top_terminal *terminal, bool take, struct err *err)
{
	int code = open_output(terminal, err);

	if (code || !take || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &terminal->before))
		return code;
	terminal->raw = terminal->before;
	terminal->raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	terminal->taken = tcsetattr(STDIN_FILENO, TCSANOW, &terminal->raw) == 0;
	return top_terminal_enter(terminal, err);
}

static int give_back(struct top_terminal *terminal, struct err *err)
{
	int code = terminal->taken ? put(terminal, LEAVE, err) : 0;

	if (async_output_close(terminal->output, err) && !code)
		code = err->code;
	terminal->output = NULL;
	if (terminal->taken)
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
	return code;
}

int top_terminal_close(struct top_terminal *terminal, struct err *err)
{
	int code = terminal->output ? give_back(terminal, err) : 0;

	*terminal = (struct top_terminal){ 0 };
	return code;
}

int top_terminal_stop(struct top_terminal *terminal, struct err *err)
{
	int code = give_back(terminal, err);

	signals_stop_job();
	if (!code)
		code = open_output(terminal, err);
	return code ? code : top_terminal_enter(terminal, err);
}
