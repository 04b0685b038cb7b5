/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The environment of programs that a sampled program starts. The functions are those of the
 * preloaded library, which no other program of ours has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/wait.h>

#include "heap/exec.c"
#include "heap/exec.h"

#define WORD(text) ((char[]){ text })
#define LIBRARY	   "/proc/self/exe" /* a file that can be read */

static void begin(const char *preload, bool alone)
{
	library[0] = '\0';
	assert_int_equal(setenv(PRELOAD, preload, 1), 0);
	assert_int_equal(setenv(HEAP_VARIABLE, "1000,2,0", 1), 0);
	exec_begin(alone);
	assert_null(getenv(HEAP_VARIABLE));
}

static bool compose_for(const char *program, char *const *env, char *ret, size_t size)
{
	static char *room[EXEC_WORDS], names[EXEC_NAMES];

	ret[0] = '\0';
	if (!exec_environment(program, env, room, names))
		return false;
	for (size_t i = 0; room[i]; i++)
		(void)snprintf(ret + strlen(ret), size - strlen(ret), "%s ", room[i]);
	return true;
}

static void test_exec__environment(void **state)
{
	char *const some[] = { WORD("A=1"), WORD(HEAP_VARIABLE "=9"), WORD("LD_PRELOADED=2"),
			       NULL };
	char *const others[] = { WORD(PRELOAD "=other.so"), NULL };
	char *const sanitizer[] = { WORD(PRELOAD "=/usr/lib/libasan.so.8"), NULL };
	char got[512];

	(void)state;
	begin(LIBRARY, false);
	assert_null(getenv(PRELOAD));
	assert_true(compose_for("/bin/sh", some, got, sizeof(got)));
	assert_string_equal(got, "A=1 LD_PRELOADED=2 LD_PRELOAD=" LIBRARY " CUPEL_HEAP=1000,2,0 ");
	assert_true(compose_for("/bin/sh", NULL, got, sizeof(got))); /* as after clearenv() */
	assert_string_equal(got, "LD_PRELOAD=" LIBRARY " CUPEL_HEAP=1000,2,0 ");
	assert_true(compose_for("/bin/sh", others, got, sizeof(got)));
	assert_string_equal(got, "LD_PRELOAD=" LIBRARY ":other.so CUPEL_HEAP=1000,2,0 ");
	assert_false(compose_for("/bin/sh", sanitizer, got, sizeof(got)));
	assert_false(compose_for("/nowhere", some, got, sizeof(got)));
	assert_false(compose_for("/", some, got, sizeof(got)));
	begin(LIBRARY ":mine.so", false);
	assert_string_equal(getenv(PRELOAD), "mine.so");
	begin("/nowhere/libcupel_heap.so", false); /* as in another root directory */
	assert_false(compose_for("/bin/sh", some, got, sizeof(got)));
	begin(LIBRARY, true);
	assert_false(compose_for("/bin/sh", some, got, sizeof(got)));
}

static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

/* Words of execl() and its like arrive, also many, and so does the environment behind them. */
static void test_exec__lists(void **state)
{
	char *const env[] = { WORD("A=5"), NULL };
	pid_t pid;

	(void)state;
	library[0] = '\0';
	pid = fork();
	if (!pid)
		_exit(execle("/bin/sh", "sh", "-c", "exit $((A + $# + $1))", "-", "30", NULL, env));
	assert_int_equal(status_of(pid), 36);
	pid = fork();
	if (!pid)
		_exit(execlp("sh", "sh", "-c", "exit $#", "1", "2", "3", "4", "5", "6", "7", "8",
			     "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20",
			     "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32",
			     "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44",
			     "45", "46", "47", "48", "49", "50", "51", "52", "53", "54", "55", "56",
			     "57", "58", "59", "60", "61", "62", "63", "64", "65", "66", NULL));
	assert_int_equal(status_of(pid), 65);
	assert_int_equal(execl("/nowhere", "nowhere", NULL), -1);
	assert_int_equal(errno, ENOENT);
}

static void test_exec__calls(void **state)
{
	char *const argv[] = { WORD("sh"), WORD("-c"), WORD("exit 7"), NULL };
	int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	(void)state;
	assert_int_equal(posix_spawnp(&pid, "sh", NULL, NULL, argv, environ), 0);
	assert_int_equal(status_of(pid), 7);
	assert_int_equal(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ), 0);
	assert_int_equal(status_of(pid), 7);
	assert_int_equal(posix_spawnp(&pid, "no-such-program", NULL, NULL, argv, environ), ENOENT);
	pid = fork();
	if (!pid)
		_exit(fexecve(fd, argv, environ));
	assert_int_equal(status_of(pid), 7);
	pid = fork();
	if (!pid)
		_exit(execvp("sh", argv));
	assert_int_equal(status_of(pid), 7);
	assert_int_equal(close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exec__environment),
		cmocka_unit_test(test_exec__lists),
		cmocka_unit_test(test_exec__calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
