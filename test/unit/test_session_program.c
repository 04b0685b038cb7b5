/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/program: held until released, status as in a shell, killed when cancelled. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/program.h"
#include "session/signals.h"

static struct program fork_words(char **words)
{
	struct program program;
	struct signals signals = { .fd = -1 };
	struct err err;

	assert_int_equal(0, signals_take(&signals, &err));
	assert_int_equal(0, program_fork(words, &signals, false, &program, &err));
	signals_restore(&signals);
	return program;
}

static int run(const char *script)
{
	char shell[] = "sh", option[] = "-c";
	char *words[] = { shell, option, (char *)script, NULL };
	struct program program = fork_words(words);
	struct err err;
	int status = -1;

	assert_int_equal(0, program_exec(&program, words[0], &status, &err));
	assert_true(program_wait(&program, true));
	return program_status(&program);
}

static void test_program__reports_as_a_shell(void **state)
{
	(void)state;
	assert_int_equal(0, run("true"));
	assert_int_equal(7, run("exit 7"));
	assert_int_equal(128 + SIGKILL, run("kill -KILL $$"));
}

static int fail_to_run(const char *name, int *status)
{
	char *words[] = { (char *)name, NULL };
	struct program program = fork_words(words);
	struct err err;

	return program_exec(&program, name, status, &err);
}

static void test_program__reports_why_it_cannot_run(void **state)
{
	int status = 0;

	(void)state;
	assert_int_equal(-ENOENT, fail_to_run("/no/such/program", &status));
	assert_int_equal(127, status);
	assert_int_equal(-ENOENT, fail_to_run("no-such-program", &status));
	assert_int_equal(127, status);
	assert_int_equal(-EACCES, fail_to_run("/", &status));
	assert_int_equal(126, status);
}

static void test_program__waits_to_be_let_go(void **state)
{
	char path[] = "/tmp/cupel-test-XXXXXX";
	char remove[] = "rm";
	char *words[] = { remove, path, NULL };
	struct program program;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	program = fork_words(words);
	assert_false(program_wait(&program, false));
	program_abandon(&program);
	assert_true(program.reaped);
	assert_int_equal(0, access(path, F_OK)); /* it never ran */
	(void)unlink(path);
}

static void test_program__says_when_it_cannot_be_let_go(void **state)
{
	char name[] = "true";
	char *words[] = { name, NULL };
	struct program program = fork_words(words);
	struct err err = { 0 };
	int status = 0;

	(void)state;
	(void)close(program.go_fd);
	program.go_fd = open("/dev/null", O_RDONLY | O_CLOEXEC); /* no write succeeds */
	assert_int_equal(-EBADF, program_exec(&program, name, &status, &err));
	assert_true(err.msg[0]);
	assert_true(program.reaped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program__reports_as_a_shell),
		cmocka_unit_test(test_program__reports_why_it_cannot_run),
		cmocka_unit_test(test_program__waits_to_be_let_go),
		cmocka_unit_test(test_program__says_when_it_cannot_be_let_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
