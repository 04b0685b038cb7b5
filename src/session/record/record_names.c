/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that names what was hit (see record_names.h). */
#include "session/record/record_names.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"
#include "base/par.h"
#include "base/sandbox.h"
#include "event/desc.h"
#include "session/keep_names.h"

#define MOST_MS	   10000
#define MOST_BYTES ((size_t)256 << 20)

bool record_names_wanted(const struct event_set *events)
{
	const uint64_t stacks = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;

	for (size_t i = 0; i < events->desc.count; i++) {
		const struct perf_event_attr *attr = &events->desc.item[i]->attr;

		if (attr->type != PERF_TYPE_TRACEPOINT || (attr->sample_type & stacks))
			return true;
	}
	return false;
}

struct question {
	struct keep_names_request names;
	uint64_t end_ns; /* when there is to be an answer */
};

/* The length goes first, so that the other side knows a whole answer. */
static _Noreturn void child(int recording, const struct question *question, int out)
{
	const int ending[] = { SIGINT, SIGTERM };
	struct err err = { 0 };
	struct buf names = { 0 };
	struct keep_names_request request = question->names;
	sigset_t none;
	char path[64];
	uint64_t len;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		(void)signal(ending[i], SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (null >= 0) /* what is wrong is the parent's to say */
		(void)dup2(null, STDERR_FILENO);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", recording);
	request.path = path;
	if (sandbox_needed() && MEMORY_LIMIT_METERED)
		(void)sandbox_enter(&err);
	memory_limit_begin("names", (unsigned)par_threads());
	if (keep_names_of(&request, &names, &err))
		_exit(1);
	len = names.len;
	if (fd_write_all(out, &len, sizeof(len)) || fd_write_all(out, names.data, names.len))
		_exit(1);
	_exit(0);
}

/* Everything until the other end closes. */
static int read_answer(int fd, uint64_t end_ns, struct buf *ret, struct err *err)
{
	char bytes[65536];

	for (;;) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
		ssize_t len;

		if (now_ns >= end_ns)
			return err_set(err, -ETIMEDOUT, "it took more than %d s", MOST_MS / 1000);
		if (poll(&wait, 1, (int)((end_ns - now_ns) / 1000000) + 1) <= 0)
			continue; /* the time is looked at again */
		len = read(fd, bytes, sizeof(bytes));
		if (len == 0)
			return 0;
		if (len < 0 && errno != EINTR)
			return err_errno(err, "reading names");
		if (len > 0 && buf_append(ret, bytes, (size_t)len))
			return err_set(err, -EFBIG, "more than %zu MB", MOST_BYTES >> 20);
	}
}

static int take_answer(int fd, uint64_t end_ns, struct buf *ret, struct err *err)
{
	struct buf answer = { .limit = MOST_BYTES };
	uint64_t len = UINT64_MAX;
	int code = read_answer(fd, end_ns, &answer, err);

	if (answer.len >= sizeof(len))
		memcpy(&len, answer.data, sizeof(len));
	if (!code && len != answer.len - sizeof(len))
		code = err_set(err, -ENOMEM, "it was stopped, or needed more than %llu MB",
			       (unsigned long long)memory_limit_recorder() >> 20);
	if (!code && len)
		(void)buf_append(ret, answer.data + sizeof(len), (size_t)len);
	buf_done(&answer);
	return code;
}

static int ask(int fd, const struct question *question, struct buf *ret, struct err *err)
{
	int ends[2], code;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return err_errno(err, "pipe");
	pid = fork();
	if (pid == 0)
		child(fd, question, ends[1]);
	(void)close(ends[1]);
	code = pid < 0 ? err_errno(err, "fork") : take_answer(ends[0], question->end_ns, ret, err);
	(void)close(ends[0]);
	if (pid > 0) {
		(void)kill(pid, SIGKILL); /* it has ended already, or takes too long */
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return code;
}

int record_names_find(int fd, const struct keep_names_request *request, struct buf *ret,
		      bool *ret_lines, struct err *err)
{
	struct question question = {
		.names = *request,
		.end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)MOST_MS * 1000000,
	};
	struct err first = { 0 };
	int code;

	question.names.lines = true;
	code = ask(fd, &question, ret, &first);

	*ret_lines = !code;
	if (!code)
		return 0;
	if (code != -ENOMEM) {
		*err = first;
		return code;
	}
	question.names.lines = false;
	return ask(fd, &question, ret, err);
}
