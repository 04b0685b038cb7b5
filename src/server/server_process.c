/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server's process (see server_process.h). */
#include "server/server_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "server/server.h"
#include "session/run.h"

static int end_without(void *context, struct err *err)
{
	(void)context;
	(void)err_set(err, -ECHILD,
		      "a process of the server ended (cupel-forks): "
		      "something killed it");
	return err_hint(err, "what was acknowledged is stored; start the server again");
}

/* Writes to `ready`, unless it is -1, once the server listens. */
static int serve(const struct server_options *options, uint64_t duration_ns, int *ready,
		 struct err *err)
{
	const struct err fine = { 0 };
	struct server *server = NULL;
	struct run run;
	int code = run_open(&run, err);

	run.duration_ns = duration_ns;
	if (!code)
		code = server_open(options, &server, err);
	if (!code && *ready >= 0) {
		code = fd_write_all(*ready, &fine, sizeof(fine));
		(void)close(take_fd(ready));
	}
	if (!code) {
		run_add_fd(&run, server_end_fd(server, SERVER_ANSWERS), end_without, NULL);
		run_add_fd(&run, server_end_fd(server, SERVER_WRITES), end_without, NULL);
		code = run_watch(&run, err);
	}
	server_close(server);
	run_close(&run);
	return code;
}

int server_process_run(const struct server_options *options, uint64_t duration_ns, struct err *err)
{
	int none = -1;

	return serve(options, duration_ns, &none, err);
}

static _Noreturn void run_child(const struct server_options *options, pid_t parent, int ready)
{
	struct err err = { 0 };

	(void)prctl(PR_SET_NAME, "cupel-serve");
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* it ended before that */
		_exit(0);
	if (serve(options, 0, &ready, &err)) {
		if (ready >= 0)
			(void)fd_write_all(ready, &err, sizeof(err));
		else
			options->say(err.msg);
		_exit(1);
	}
	_exit(0);
}

int server_process_start(const struct server_options *options, pid_t *ret, struct err *err)
{
	struct err told;
	pid_t parent = getpid(), pid;
	int ends[2];
	ssize_t len;

	if (pipe2(ends, O_CLOEXEC))
		return err_errno(err, "pipe");
	pid = fork();
	if (pid == 0) {
		(void)close(ends[0]);
		run_child(options, parent, ends[1]);
	}
	(void)close(ends[1]);
	if (pid < 0) {
		(void)err_errno(err, "fork");
		(void)close(ends[0]);
		return err->code;
	}
	len = fd_read_full(ends[0], &told, sizeof(told));
	(void)close(ends[0]);
	if (len == (ssize_t)sizeof(told) && !told.code) {
		*ret = pid;
		return 0;
	}
	(void)waitpid(pid, NULL, 0);
	if (len == (ssize_t)sizeof(told))
		*err = told;
	else
		(void)err_set(err, -EPIPE, "the server's process ended");
	return err->code;
}

void server_process_end(pid_t pid)
{
	(void)kill(pid, SIGTERM);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
