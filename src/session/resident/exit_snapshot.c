/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracer and its two messages (see exit_snapshot.h). Over the socket go a pid, an answer (0 or
 * -errno), and after the program's end the snapshot. The tracer lets the program go before it sends
 * that, because the reader may be waiting for the program. */
#include "session/resident/exit_snapshot.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/fork_server.h"
#include "proc/page_snapshot.h"

#define EVENT_SHIFT    16
#define SNAPSHOT_LIMIT ((size_t)1 << 30)
#define READ_BYTES     65536

struct exit_snapshot {
	struct fork_server *server;
	pid_t tracer; /* 0 = none yet */
	int socket;
};

static bool is_stop_signal(int number)
{
	return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* Passes on what the thread stopped for. */
static void go_on(pid_t pid, int status)
{
	int number = WSTOPSIG(status), event = status >> EVENT_SHIFT;

	if (event == PTRACE_EVENT_STOP && is_stop_signal(number))
		(void)ptrace(PTRACE_LISTEN, pid, NULL, NULL);
	else
		(void)ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)(event ? 0 : number));
}

/* Until the thread is at its end. False: it is gone. */
static bool wait_for_end(pid_t pid)
{
	int status;

	for (;;) {
		if (waitpid(pid, &status, __WALL) < 0) {
			if (errno == EINTR)
				continue;
			return false;
		}
		if (!WIFSTOPPED(status))
			return false;
		if (status >> EVENT_SHIFT == PTRACE_EVENT_EXIT)
			return true;
		go_on(pid, status);
	}
}

/* The tracer. It ends with the fork server, which ends with its user. */
static void trace(int socket)
{
	struct buf bytes = { .limit = SNAPSHOT_LIMIT };
	struct err ignored = { 0 };
	pid_t pid;
	int code;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NAME, "cupel-exit");
	if (fd_read_full(socket, &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
		return;
	code = ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACEEXIT) ? -errno : 0;
	if (fd_write_all(socket, &code, sizeof(code)) || code || !wait_for_end(pid))
		return;
	code = page_snapshot_read(pid, &bytes, &ignored);
	(void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
	if (!code) /* else the reader finds nothing */
		(void)fd_write_all(socket, bytes.data, bytes.len);
	buf_done(&bytes);
}

int exit_snapshot_open(struct exit_snapshot **ret, struct err *err)
{
	struct fork_server *server;
	int code = fork_server_open(&server, err);

	if (code)
		return code;
	*ret = mem_zalloc(sizeof(**ret));
	**ret = (struct exit_snapshot){ .server = server, .socket = -1 };
	return 0;
}

int exit_snapshot_watch(struct exit_snapshot *snapshot, pid_t pid, struct err *err)
{
	int code = fork_server_start(snapshot->server, trace, &snapshot->tracer);

	if (code < 0)
		return err_set(err, code, "starting a tracer: failed");
	snapshot->socket = code;
	if (fd_write_all(snapshot->socket, &pid, sizeof(pid)) ||
	    fd_read_full(snapshot->socket, &code, sizeof(code)) != (ssize_t)sizeof(code))
		code = -EPIPE;
	if (!code)
		return 0;
	errno = -code;
	(void)err_errno(err, "tracing the program to its end");
	return err_hint(err, "it takes CAP_SYS_PTRACE; watch a running process with -p PID");
}

int exit_snapshot_take(struct exit_snapshot *snapshot, struct buf *ret, struct err *err)
{
	size_t before = ret->len;
	char *room = mem_alloc(READ_BYTES);
	ssize_t got;

	ret->limit = SNAPSHOT_LIMIT;
	do {
		got = fd_read_full(snapshot->socket, room, READ_BYTES);
		if (got > 0 && buf_append(ret, room, (size_t)got))
			got = -E2BIG;
	} while (got > 0);
	free(room);
	if (got < 0)
		return err_set(err, (int)got, "the program's pages: cannot be read");
	if (ret->len > before)
		return 0;
	return err_set(err, -ESRCH, "the program's pages: it ended before they could be read");
}

void exit_snapshot_close(struct exit_snapshot *snapshot)
{
	if (!snapshot)
		return;
	fd_close(&snapshot->socket);
	if (snapshot->tracer)
		(void)fork_server_end(snapshot->server, snapshot->tracer);
	fork_server_close(snapshot->server);
	free(snapshot);
}
