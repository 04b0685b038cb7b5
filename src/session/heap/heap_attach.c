/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that restores another (see heap_attach.h). It is in a session of its own and ignores
 * signals that end programs, so that it is not ended while a thread of the other runs its code.
 * Over the socket goes an answer when the library is there; its end is the order to restore. */
#include "session/heap/heap_attach.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"

#define NAME	  "cupel-heap" /* inject_image.c looks for it */
#define LOOK_MS	  250	       /* for what the process loads */
#define FIRST	  -20
#define NO_FOLDER "/"

struct answer {
	int code;
	struct err err;
	struct heap_injected injected;
};

/* An object is relocated some time after it appears, so each change is followed twice. */
static void watch(int socket, struct heap_injected *injected)
{
	struct pollfd end = { .fd = socket, .events = POLLIN };
	struct err ignored = { 0 };
	bool again = false;

	while (poll(&end, 1, LOOK_MS) <= 0) {
		bool changed = heap_inject_changed(injected);

		if (changed || again)
			again = heap_inject_repeat(injected, &ignored) ? true : changed;
		if (kill(injected->pid, 0) && errno == ESRCH)
			return;
	}
	(void)heap_inject_end(injected, &ignored); /* it may be gone */
}

static _Noreturn void serve(int socket, struct heap_injected *injected)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP };
	struct answer answer = { 0 };

	(void)setsid();
	(void)prctl(PR_SET_NAME, NAME);
	(void)chdir(NO_FOLDER);
	(void)setpriority(PRIO_PROCESS, 0, FIRST); /* while the process stands still */
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	if (socket > 0)
		(void)close_range(0, (unsigned)socket - 1, 0);
	(void)close_range((unsigned)socket + 1, ~0u, 0);
	injected->owner = (uint64_t)getpid();
	answer.code = heap_inject_begin(injected, &answer.err);
	answer.injected = *injected;
	(void)fd_write_all(socket, &answer, sizeof(answer));
	if (!answer.code)
		watch(socket, injected);
	_exit(0);
}

static int start(struct heap_attach *attach, struct err *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return err_errno(err, "socketpair");
	attach->watcher = fork();
	if (attach->watcher == 0)
		serve(pair[1], &attach->injected);
	(void)close(pair[1]);
	attach->socket = pair[0];
	return attach->watcher < 0 ? err_errno(err, "starting a process that attaches") : 0;
}

static int take_answer(struct heap_attach *attach, struct err *err)
{
	struct answer answer;

	if (fd_read_full(attach->socket, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
		return err_set(err, -EPIPE, "attaching: the process for it ended");
	if (answer.code) {
		*err = answer.err;
		if (answer.code != -ESRCH)
			(void)err_hint(err, "where its memory grows: cupel heap --maps -p %d",
				       attach->injected.pid);
		return answer.code;
	}
	attach->injected = answer.injected;
	(void)snprintf(attach->object, sizeof(attach->object), "/proc/%d/map_files/%jx-%jx",
		       attach->injected.pid, (uintmax_t)attach->injected.start,
		       (uintmax_t)attach->injected.end);
	return 0;
}

int heap_attach_begin(struct heap_attach *attach, pid_t pid, uint64_t rate, struct err *err)
{
	int code;

	*attach = (struct heap_attach){ .socket = -1, .choice = { .rate = rate, .pid = pid } };
	if (getrandom(&attach->choice.token, sizeof(attach->choice.token), 0) < 0)
		return err_errno(err, "getrandom");
	attach->choice.object = attach->object;
	attach->injected =
		(struct heap_injected){ .pid = pid, .rate = rate, .token = attach->choice.token };
	code = start(attach, err);
	return code ? code : take_answer(attach, err);
}

void heap_attach_end(struct heap_attach *attach)
{
	fd_close(&attach->socket);
	attach->socket = -1;
	if (attach->watcher > 0)
		(void)waitpid(attach->watcher, NULL, 0);
	attach->watcher = 0;
}
