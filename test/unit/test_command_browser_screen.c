/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/browser/screen: lines reach a terminal with their styles, keys come from it, and it is
 * left as it was, also by a crash. Each case runs in a child with a terminal of its own. */
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "command/browser/screen.h"
#include "view/browser/browser_keys.h"
#include "view/browser/cells.h"

static char drawn[65536]; /* all that the terminal got */
static struct termios before, after;
static int status; /* of the child */

/* Reads what was drawn until the terminal is quiet at the child's end, or `what` was drawn. */
static void read_until(int terminal, const char *what)
{
	size_t len = strlen(drawn);
	ssize_t got;

	while (len + 1 < sizeof(drawn) && !(what && strstr(drawn, what)) &&
	       (got = read(terminal, drawn + len, sizeof(drawn) - 1 - len)) > 0) {
		len += (size_t)got;
		drawn[len] = '\0';
	}
}

/* Runs the case in a terminal of 4 lines that types `keys` when something was drawn. */
static void in_terminal(const char *type, const char *keys, void (*run)(struct screen *screen))
{
	struct winsize size = { .ws_row = 4, .ws_col = 20 };
	int ours, theirs;
	pid_t pid;

	assert_int_equal(openpty(&ours, &theirs, NULL, NULL, &size), 0);
	(void)tcgetattr(theirs, &before);
	pid = fork();
	if (!pid) {
		struct screen *screen = NULL;
		struct err err = { 0 };

		(void)dup2(theirs, STDIN_FILENO);
		(void)dup2(theirs, STDOUT_FILENO);
		(void)setenv("TERM", type, 1);
		if (screen_open(&screen, &err))
			_exit(77);
		run(screen);
		screen_close(screen);
		_exit(0);
	}
	drawn[0] = '\0';
	if (*keys)
		read_until(ours, "fünction");
	assert_int_equal(write(ours, keys, strlen(keys)), strlen(keys));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	(void)tcgetattr(theirs, &after);
	(void)fcntl(ours, F_SETFL, O_NONBLOCK);
	read_until(ours, NULL);
	(void)close(ours);
	(void)close(theirs);
}

static void draw(struct screen *screen)
{
	struct cells lines[4] = { 0 };
	uint32_t rows, columns;

	screen_measure(screen, &rows, &columns);
	if (rows != 4 || columns != 20)
		_exit(1);
	for (uint32_t i = 0; i < rows; i++)
		cells_clear(&lines[i], columns);
	cells_put(&lines[0], CELL_HOT, "hot");
	cells_put(&lines[1], CELL_PLAIN, "fünction");
	lines[1].selected = true;
	screen_draw(screen, lines, rows, UINT32_MAX);
	for (uint32_t i = 0; i < rows; i++)
		cells_done(&lines[i]);
}

static void draw_and_read(struct screen *screen)
{
	static const int want[] = { 'a', BROWSER_KEY_UP, BROWSER_KEY_TAB_BACK, 0xfc,
				    BROWSER_KEY_ENTER };

	draw(screen);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]);) {
		int key = screen_key(screen);

		if (key == BROWSER_KEY_NONE)
			continue;
		if (key != want[i] && !(key == '\r' && want[i] == BROWSER_KEY_ENTER))
			_exit(100 + (int)i);
		i++;
	}
}

static void crash(struct screen *screen)
{
	draw(screen);
	abort();
}

static void assert_restored(void)
{
	assert_memory_equal(&after.c_lflag, &before.c_lflag, sizeof(after.c_lflag));
	assert_memory_equal(&after.c_iflag, &before.c_iflag, sizeof(after.c_iflag));
	assert_non_null(strstr(drawn, "\033[?1049l"));
}

static void test_screen__draws_and_reads(void **state)
{
	(void)state;
	(void)unsetenv("NO_COLOR");
	in_terminal("xterm", "a\033OA\033[Zü\r", draw_and_read);
	assert_int_equal(status, 0);
	assert_non_null(strstr(drawn, "\033[?1049h"));
	assert_non_null(strstr(drawn, "\033[31mhot"));
	assert_non_null(strstr(drawn, "fünction"));
	assert_restored();
}

static void test_screen__obeys_no_color(void **state)
{
	(void)state;
	(void)setenv("NO_COLOR", "1", 1);
	in_terminal("xterm", "", draw);
	(void)unsetenv("NO_COLOR");
	assert_int_equal(status, 0);
	assert_null(strstr(drawn, "\033[31m"));
	assert_non_null(strstr(drawn, "hot"));
	in_terminal("vt100", "", draw);
	assert_int_equal(status, 0);
	assert_null(strstr(drawn, "\033[31m"));
}

static void test_screen__is_left_by_a_crash(void **state)
{
	(void)state;
	in_terminal("xterm", "", crash);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_restored();
}

static void test_screen__needs_a_terminal(void **state)
{
	(void)state;
	in_terminal("no-such-terminal", "", draw);
	assert_int_equal(WEXITSTATUS(status), 77);
	(void)setenv("TERM", "dumb", 1);
	assert_false(screen_possible());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screen__draws_and_reads),
		cmocka_unit_test(test_screen__obeys_no_color),
		cmocka_unit_test(test_screen__is_left_by_a_crash),
		cmocka_unit_test(test_screen__needs_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
