/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forking, holding and reaping the recorded program (see program.h). */
#include "session/program.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "session/signals.h"

#define STATUS_NOT_FOUND      127
#define STATUS_NOT_EXECUTABLE 126
#define STATUS_SIGNAL	      128

/* In the child: only async-signal-safe calls. */
static _Noreturn void run_child(char **argv, const struct signals *signals, int go_fd, int error_fd)
{
	char go;
	int error;

	while (read(go_fd, &go, 1) != 1)
		if (errno != EINTR)
			_exit(STATUS_NOT_EXECUTABLE); /* recording was called off */
	signals_hand_on(signals);
	(void)execvp(argv[0], argv);
	error = errno;
	(void)fd_write_all(error_fd, &error, sizeof(error));
	_exit(error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

int program_fork(char **argv, const struct signals *signals, bool stdout_to_stderr,
		 struct program *ret, struct err *err)
{
	int go[2] = { -1, -1 }, error[2] = { -1, -1 };
	pid_t pid = -1;

	if (pipe2(go, O_CLOEXEC) == 0 && pipe2(error, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0) {
		(void)close(go[1]); /* or it would keep its own pipe open */
		if (stdout_to_stderr)
			(void)dup2(STDERR_FILENO, STDOUT_FILENO);
		run_child(argv, signals, go[0], error[1]);
	}
	if (pid < 0)
		(void)err_errno(err, "starting %s", argv[0]);
	fd_close(&go[0]);
	fd_close(&error[1]);
	if (pid < 0) {
		fd_close(&go[1]);
		fd_close(&error[0]);
		return err->code;
	}
	*ret = (struct program){ .pid = pid, .go_fd = go[1], .error_fd = error[0] };
	return 0;
}

int program_exec(struct program *program, const char *name, int *ret_status, struct err *err)
{
	ssize_t n = write(program->go_fd, "g", 1);
	int error = errno;

	(void)close(take_fd(&program->go_fd));
	if (n != 1 && error != EPIPE) {
		(void)close(take_fd(&program->error_fd));
		(void)program_wait(program, true); /* it went away */
		return err_set(err, -error, "starting %s: %s", name, strerror(error));
	}
	if (n == 1)
		n = fd_read_full(program->error_fd, &error, sizeof(error));
	else
		n = 0; /* it was killed while waiting; see its status */
	(void)close(take_fd(&program->error_fd));
	if (n != (ssize_t)sizeof(error))
		return 0;
	*ret_status = error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
	(void)program_wait(program, true);
	if (error == ENOENT && !strchr(name, '/'))
		return err_set(err, -ENOENT, "%s: command not found", name);
	return err_set(err, -error, "%s: %s", name, strerror(error));
}

static uint64_t time_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

bool program_wait(struct program *program, bool block)
{
	struct rusage usage;
	pid_t pid;

	if (program->reaped)
		return true;
	do
		pid = wait4(program->pid, &program->status, block ? 0 : WNOHANG, &usage);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return false;
	program->reaped = true;
	if (pid > 0) {
		program->user_ns = time_ns(&usage.ru_utime);
		program->system_ns = time_ns(&usage.ru_stime);
		program->cpu_ns = program->user_ns + program->system_ns;
		program->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	}
	return true;
}

void program_abandon(struct program *program)
{
	if (program->pid == 0 || program->go_fd < 0)
		return;
	(void)close(take_fd(&program->go_fd));
	(void)close(take_fd(&program->error_fd));
	(void)program_wait(program, true);
}

int program_status(const struct program *program)
{
	if (WIFSIGNALED(program->status))
		return STATUS_SIGNAL + WTERMSIG(program->status);
	return WEXITSTATUS(program->status);
}
