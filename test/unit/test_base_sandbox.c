/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/sandbox: afterwards a process can read files and compute, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/sandbox.h"

/* Status of a process that enters the sandbox and then does this; 0 = it did as it should. */
static int inside(int (*act)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct err err = { 0 };

		(void)setpgid(0, 0); /* signals to its group are its own */
		_exit(sandbox_enter(&err) ? 100 : act());
	}
	assert_int_equal(pid, waitpid(pid, &status, 0));
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void *run(void *argument)
{
	*(int *)argument = 7;
	return NULL;
}

static int reads(void)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	pthread_t thread;
	int seen = 0;

	if (fd_read_file("/proc/self/status", &text, &err) || !text.len)
		return 1;
	if (!strstr(text.data, "Seccomp:\t2") || !strstr(text.data, "NoNewPrivs:\t1"))
		return 2;
	if (pthread_create(&thread, NULL, run, &seen) || pthread_join(thread, NULL) || seen != 7)
		return 3;
	free(malloc(64 << 20));
	return malloc(64 << 20) ? 0 : 4;
}

static int changes_nothing(void)
{
	char *const words[] = { (char *)(uintptr_t) "true", NULL };

	if (open("/tmp/cupel_sandbox", O_WRONLY | O_CREAT, 0600) >= 0 || errno != EPERM)
		return 1;
	if (open("/dev/null", O_RDWR) >= 0 || openat(AT_FDCWD, "/dev/null", O_WRONLY) >= 0)
		return 2;
	if (mkdir("/tmp/cupel_sandbox", 0700) == 0 || unlink("/nonexistent") == 0 || errno != EPERM)
		return 3;
	if (rename("/nonexistent", "/nowhere") == 0 || errno != EPERM || chmod("/tmp", 01777) == 0)
		return 4;
	return truncate("/nonexistent", 0) == 0 || errno != EPERM ||
			       execv("/bin/true", words) == 0 || errno != EPERM
		       ? 5
		       : 0;
}

static int reaches_nobody(void)
{
	if (fork() >= 0 || errno != EPERM)
		return 1;
	if (kill(getppid(), 0) == 0 || errno != EPERM)
		return 2;
	if (ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0 || errno != EPERM)
		return 3;
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
		return 4;
	if (setuid(0) == 0 && errno != EPERM)
		return 5;
	return ioctl(STDIN_FILENO, TIOCSTI, "x") == 0 || errno != ENOTTY ? 6 : 0;
}

/* As by Ctrl-Z, and no other signal to its own group. */
static int stops_with_its_job(void)
{
	if (kill(0, SIGKILL) == 0 || errno != EPERM || kill(getppid(), SIGTSTP) == 0)
		return 1;
	if (kill(-1, SIGTSTP) == 0 || errno != EPERM || kill(getpid(), SIGTSTP) == 0)
		return 2;
	return kill(0, SIGTSTP) ? 3 : 0;
}

static int makes_no_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0)
		return 1;
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			       MAP_FAILED
		       ? 0
		       : 2;
}

static int has_no_power(void)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	const char *line;

	if (fd_read_file("/proc/self/status", &text, &err))
		return 1;
	line = strstr(text.data, "CapEff:\t");
	/* DAC_READ_SEARCH 2, SYS_PTRACE 19, SYSLOG 34 */
	return line && (strtoull(line + 8, NULL, 16) & ~0x10400080004ull) == 0 ? 0 : 2;
}

static void test_sandbox__reads_and_computes(void **state)
{
	(void)state;
	assert_int_equal(0, inside(reads));
}

static void test_sandbox__changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(0, inside(changes_nothing));
}

static void test_sandbox__reaches_no_other_process(void **state)
{
	(void)state;
	assert_int_equal(0, inside(reaches_nobody));
}

static void test_sandbox__stops_with_its_job(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) /* in its own group: the runner of the tests must not stop */
		_exit(setpgid(0, 0) || signal(SIGTSTP, SIG_IGN) == SIG_ERR
			      ? 100
			      : inside(stops_with_its_job));
	assert_int_equal(pid, waitpid(pid, &status, 0));
	assert_true(WIFEXITED(status));
	assert_int_equal(0, WEXITSTATUS(status));
}

static void test_sandbox__makes_no_code(void **state)
{
	(void)state;
	assert_int_equal(0, inside(makes_no_code));
}

static void test_sandbox__has_no_power(void **state)
{
	(void)state;
	assert_int_equal(0, inside(has_no_power));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sandbox__reads_and_computes),
		cmocka_unit_test(test_sandbox__changes_nothing),
		cmocka_unit_test(test_sandbox__reaches_no_other_process),
		cmocka_unit_test(test_sandbox__stops_with_its_job),
		cmocka_unit_test(test_sandbox__makes_no_code),
		cmocka_unit_test(test_sandbox__has_no_power),
	};

	return cmocka_run_group_tests_name("base/sandbox", tests, NULL, NULL);
}
