/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/signals: they are read; what was ignored stays ignored; a child gets all back. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/signals.h"

static struct signals take(void)
{
	struct signals signals = { .fd = -1 };
	struct err err;

	assert_int_equal(0, signals_take(&signals, &err));
	return signals;
}

static void test_signals__are_read(void **state)
{
	struct signals signals = take();
	struct signalfd_siginfo info;

	(void)state;
	assert_false(signals_next(&signals, &info));
	assert_false(signals_pending(&signals));
	(void)kill(getpid(), SIGTERM);
	assert_true(signals_pending(&signals));
	assert_true(signals_next(&signals, &info));
	assert_int_equal(info.ssi_signo, SIGTERM);
	assert_false(signals_pending(&signals));
	signals_restore(&signals);
}

static void test_signals__ignored_ones_stay_ignored(void **state)
{
	struct signals signals;
	struct signalfd_siginfo info;

	(void)state;
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
	signals = take();
	(void)kill(getpid(), SIGHUP);
	assert_false(signals_pending(&signals));
	assert_false(signals_next(&signals, &info));
	(void)kill(getpid(), SIGINT); /* a script's way to end what it began in the background */
	assert_true(signals_next(&signals, &info));
	assert_int_equal(info.ssi_signo, SIGINT);
	signals_restore(&signals);
	(void)signal(SIGHUP, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
}

static void test_signals__a_closed_pipe_is_an_error(void **state)
{
	struct signals signals = take();
	struct signalfd_siginfo info;
	int fd[2];

	(void)state;
	assert_int_equal(0, pipe(fd));
	(void)close(fd[0]);
	assert_int_equal(-1, write(fd[1], "x", 1));
	assert_int_equal(EPIPE, errno);
	assert_false(signals_next(&signals, &info));
	signals_restore(&signals); /* and does not kill us now */
	(void)close(fd[1]);
}

static int status_of_child(const struct signals *signals)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		signals_hand_on(signals);
		(void)kill(getpid(), SIGPIPE);
		_exit(0);
	}
	assert_int_equal(pid, waitpid(pid, &status, 0));
	return status;
}

static void test_signals__a_child_gets_back_what_was(void **state)
{
	struct signals signals = take();
	int status = status_of_child(&signals);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(SIGPIPE, WTERMSIG(status));
	signals_restore(&signals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signals__are_read),
		cmocka_unit_test(test_signals__ignored_ones_stay_ignored),
		cmocka_unit_test(test_signals__a_closed_pipe_is_an_error),
		cmocka_unit_test(test_signals__a_child_gets_back_what_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
