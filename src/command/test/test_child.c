/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/test/test_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"

#define GUARD_TRIES    600
#define GUARD_PAUSE_MS 100

/* Until it closes the pipe. Returns false if the time is over. */
static bool read_output(int fd, uint64_t end_ns, struct buf *ret)
{
	for (;;) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		char chunk[4096];
		ssize_t len;

		if (now >= end_ns)
			return false;
		if (poll(&wait, 1, (int)((end_ns - now) / 1000000) + 1) <= 0)
			continue; /* a signal, or the end of the time */
		len = read(fd, chunk, sizeof(chunk));
		if (len == 0 || (len < 0 && errno != EINTR))
			return true;
		if (len > 0)
			(void)buf_append(ret, chunk, (size_t)len); /* what is too much is cut off */
	}
}

static _Noreturn void become(const char *const *argv, int output)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)setpgid(0, 0); /* so that it can be ended with its children */
	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
	    dup2(output, STDERR_FILENO) >= 0)
		(void)execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

int test_child_run(const char *const *argv, unsigned limit_s, struct buf *ret, struct err *err)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)limit_s * 1000000000u;
	int pipe_fd[2], status = 0;
	bool ended;
	pid_t pid;

	if (pipe2(pipe_fd, O_CLOEXEC))
		return err_errno(err, "pipe");
	AUTO_CLOSE int in = pipe_fd[0];
	pid = fork();
	if (pid == 0)
		become(argv, pipe_fd[1]);
	(void)close(pipe_fd[1]); /* the child's */
	if (pid < 0)
		return err_errno(err, "fork");
	ended = read_output(in, end, ret);
	if (!ended)
		(void)kill(-pid, SIGKILL); /* with its children */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!ended)
		return err_set(err, -ETIMEDOUT, "did not end within %u s", limit_s);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* What still writes there makes the file again, for a moment. */
static void clear(const struct test_folder *folder)
{
	for (int tries = 0; tries < GUARD_TRIES; tries++) {
		(void)unlink(folder->file); /* may not be there */
		if (rmdir(folder->path) == 0 || errno != ENOTEMPTY)
			return;
		(void)poll(NULL, 0, GUARD_PAUSE_MS);
	}
}

static _Noreturn void guard(const struct test_folder *folder, int fd)
{
	char ignored;

	(void)setsid(); /* a signal to the program's group is not for us */
	for (int i = 0; i <= STDERR_FILENO; i++)
		(void)close(i); /* a reader of the output need not wait for us */
	while (read(fd, &ignored, 1) < 0 && errno == EINTR)
		;
	clear(folder);
	_exit(0);
}

int test_folder_make(struct test_folder *ret, struct err *err)
{
	const char *place = getenv("TMPDIR");
	int fds[2];

	if (!place || strlen(place) > 20)
		place = "/tmp";
	(void)snprintf(ret->path, sizeof(ret->path), "%s/cupel-test-XXXXXX", place); /* fits */
	if (pipe2(fds, O_CLOEXEC))
		return err_errno(err, "pipe");
	AUTO_CLOSE int end = fds[0];
	ret->guard_fd = fds[1];
	if (!mkdtemp(ret->path)) {
		fd_close(&ret->guard_fd);
		return err_errno(err, "%s", ret->path);
	}
	(void)snprintf(ret->file, sizeof(ret->file), "%s/test.data", ret->path); /* fits */
	ret->guard = fork();
	if (ret->guard == 0) {
		(void)close(ret->guard_fd); /* the program's */
		guard(ret, end);
	}
	return 0; /* without a guard the program itself removes it */
}

void test_folder_remove(struct test_folder *folder)
{
	fd_close(&folder->guard_fd);
	if (folder->guard < 0)
		clear(folder);
	else
		while (waitpid(folder->guard, NULL, 0) < 0 && errno == EINTR)
			;
}
