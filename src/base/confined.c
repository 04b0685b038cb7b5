/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children in the sandbox (see confined.h). */
#include "base/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"
#include "base/sandbox.h"

#define SOCKET_FD 3 /* in the child; what it may use beside follows */
#define MOST	  8 /* children at a time that are known by confined_has() */

/* What an answer begins with. */
struct answer {
	int32_t code;
	uint32_t usage;
	uint64_t bytes;
	char msg[sizeof(((struct err *)0)->msg)];
	char hint[sizeof(((struct err *)0)->hint)];
};

static pid_t children[MOST];

static void note(pid_t from, pid_t to)
{
	for (unsigned i = 0; i < MOST; i++)
		if (children[i] == from) {
			children[i] = to;
			return;
		}
}

bool confined_has(pid_t pid)
{
	bool ret = false;

	for (unsigned i = 0; i < MOST && pid; i++)
		ret |= children[i] == pid;
	return ret;
}

unsigned confined_list(uint32_t *ret, unsigned most)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MOST && count < most; i++)
		if (children[i])
			ret[count++] = (uint32_t)children[i];
	return count;
}

/* The child. */

/* The terminal's signals are for the program's own process, which ends this one. */
static void block_signals(void)
{
	static const int faults[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT };
	sigset_t blocked;

	(void)sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		(void)sigdelset(&blocked, faults[i]);
	(void)sigprocmask(SIG_SETMASK, &blocked, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
}

static void close_between(int from, int end)
{
	if (from < SOCKET_FD)
		from = SOCKET_FD;
	if (from < end)
		(void)close_range((unsigned)from, (unsigned)end - 1, 0);
}

/* Standard input and output stay with the parent: a reader of a pipe sees its end. `keep` has the
 * same number as before, which may be in a path below /proc/self/fd. */
static void keep_only(int *socket, int keep)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), low, high;

	if (keep != STDIN_FILENO)
		(void)dup2(null, STDIN_FILENO);
	(void)dup2(null, STDOUT_FILENO);
	if (keep == SOCKET_FD) {
		*socket = fcntl(*socket, F_DUPFD_CLOEXEC, SOCKET_FD + 1);
	} else if (*socket != SOCKET_FD) {
		(void)dup2(*socket, SOCKET_FD);
		*socket = SOCKET_FD;
	}
	low = *socket < keep ? *socket : keep;
	high = *socket < keep ? keep : *socket;
	close_between(SOCKET_FD, low);
	close_between(low + 1, high);
	close_between(high + 1, INT_MAX);
}

static void enter(const struct confined_options *options, int *socket, pid_t parent)
{
	struct err ignored = { 0 };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	block_signals();
	(void)prctl(PR_SET_NAME, options->name);
	keep_only(socket, options->keep);
	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
	/* no sandbox is no reason not to work: containers without seccomp have root's power cut */
	if (sandbox_needed() && MEMORY_LIMIT_METERED && !options->network)
		(void)sandbox_enter(&ignored);
}

int confined_answer(int socket, int code, const struct buf *bytes, const struct err *err)
{
	struct answer answer = { .code = code };

	if (code) {
		answer.usage = err->usage;
		memcpy(answer.msg, err->msg, sizeof(answer.msg));
		memcpy(answer.hint, err->hint, sizeof(answer.hint));
	} else {
		answer.bytes = bytes->len;
	}
	code = fd_write_all(socket, &answer, sizeof(answer));
	return code || !answer.bytes ? code : fd_write_all(socket, bytes->data, bytes->len);
}

/* The parent. */

/* Both above the standard ones, which may be closed. */
static int open_socket(int *ends, struct err *err)
{
	int low[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low))
		return err_errno(err, "socketpair");
	for (unsigned i = 0; i < 2; i++) {
		ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, SOCKET_FD);
		(void)close(low[i]);
	}
	if (ends[0] >= 0 && ends[1] >= 0)
		return 0;
	(void)err_errno(err, "socketpair");
	fd_close(&ends[0]);
	fd_close(&ends[1]);
	return err->code;
}

int confined_start(const struct confined_options *options, void (*run)(void *context, int socket),
		   void *context, struct confined *ret, struct err *err)
{
	pid_t parent = getpid(), pid;
	int ends[2];

	if (open_socket(ends, err))
		return err->code;
	pid = fork();
	if (pid == 0) {
		enter(options, &ends[0], parent);
		run(context, ends[0]);
		_exit(0);
	}
	(void)close(ends[0]);
	if (pid < 0) {
		int code = err_errno(err, "fork");

		(void)close(ends[1]);
		return code;
	}
	note(0, pid);
	*ret = (struct confined){ .pid = pid, .socket = ends[1] };
	return 0;
}

void confined_end(struct confined *confined)
{
	if (confined->socket >= 0)
		(void)close(take_fd(&confined->socket));
	if (confined->pid <= 0)
		return;
	(void)kill(confined->pid, SIGKILL); /* not waited for yet, so the number is still its own */
	while (waitpid(confined->pid, NULL, 0) < 0 && errno == EINTR)
		;
	note(confined->pid, 0);
	confined->pid = 0;
}

/* Only what an err may have: one line each, of printable characters. */
static int child_error(const struct answer *answer, struct err *err)
{
	struct err told = { .code = answer->code, .usage = answer->usage };

	memcpy(told.msg, answer->msg, sizeof(told.msg) - 1);
	memcpy(told.hint, answer->hint, sizeof(told.hint) - 1);
	text_tidy(told.msg, strlen(told.msg));
	text_tidy(told.hint, strlen(told.hint));
	*err = told;
	return told.code;
}

static int child_ended(struct err *err)
{
	return err_set(err, -ECHILD, "the process that reads binaries ended");
}

int confined_take(struct confined *confined, struct buf *ret, struct err *err)
{
	char bytes[16384];
	struct answer answer;

	if (fd_read_full(confined->socket, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
		return child_ended(err);
	if (answer.code)
		return answer.code < 0 ? child_error(&answer, err) : child_ended(err);
	while (answer.bytes) {
		size_t step = answer.bytes < sizeof(bytes) ? answer.bytes : sizeof(bytes);

		if (fd_read_full(confined->socket, bytes, step) != (ssize_t)step ||
		    buf_append(ret, bytes, step))
			return child_ended(err);
		answer.bytes -= step;
	}
	return 0;
}

struct call {
	int (*make)(void *context, struct buf *bytes, struct err *err);
	void *context;
	size_t limit;
};

static void run_call(void *context, int socket)
{
	const struct call *call = context;
	struct buf bytes = { .limit = call->limit };
	struct err err = { 0 };
	int code = call->make(call->context, &bytes, &err);

	(void)confined_answer(socket, code, &bytes, &err); /* no parent: the end */
}

int confined_call(const char *name, int (*make)(void *context, struct buf *bytes, struct err *err),
		  void *context, struct buf *ret, struct err *err)
{
	struct call call = { make, context, ret->limit };
	struct confined confined;
	int code;

	if (!sandbox_is_privileged())
		return make(context, ret, err);
	code = confined_start(&(struct confined_options){ .name = name, .keep = -1 }, run_call,
			      &call, &confined, err);
	if (code)
		return code;
	code = confined_take(&confined, ret, err);
	confined_end(&confined);
	return code;
}
