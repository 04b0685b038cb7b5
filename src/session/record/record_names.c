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
#include "proc/section_cache.h"
#include "session/keep_names.h"

#define MOST_CPU_S 10 /* of CPU time, which a busy machine gives slowly */
#define MOST_S	   60
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

/* Goes before the names, so that the other side knows a whole answer. */
struct head {
	uint64_t len; /* of the names */
	struct section_cache_made made;
};

static _Noreturn void child(int recording, const struct keep_names_request *names_of, int out)
{
	const int ending[] = { SIGINT, SIGTERM };
	struct err err = { 0 };
	struct buf names = { 0 };
	struct keep_names_request request = *names_of;
	sigset_t none;
	char path[64];
	struct head head = { 0 };
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
	head.len = names.len;
	section_cache_made(request.unpacked, &head.made);
	if (fd_write_all(out, &head, sizeof(head)) || fd_write_all(out, names.data, names.len))
		_exit(1);
	_exit(0);
}

/* The child that answers. */
struct answerer {
	pid_t pid;
	uint64_t begun_ns;
};

static bool took_too_long(const struct answerer *answerer)
{
	uint64_t took_ns = clock_ns(CLOCK_MONOTONIC) - answerer->begun_ns;
	clockid_t cpu;

	if (took_ns >= (uint64_t)MOST_S * 1000000000)
		return true;
	return took_ns >= (uint64_t)MOST_CPU_S * 1000000000 &&
	       !clock_getcpuclockid(answerer->pid, &cpu) &&
	       clock_ns(cpu) >= (uint64_t)MOST_CPU_S * 1000000000;
}

/* Everything until the other end closes. */
static int read_answer(int fd, const struct answerer *answerer, struct buf *ret, struct err *err)
{
	char bytes[16384];

	for (;;) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		ssize_t len;

		if (took_too_long(answerer))
			return err_set(err, -ETIMEDOUT,
				       "it took more than %d s of CPU time, or a minute",
				       MOST_CPU_S);
		if (poll(&wait, 1, 1000) <= 0)
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

static int take_answer(int fd, const struct answerer *answerer, struct buf *ret,
		       struct section_cache_made *ret_made, struct err *err)
{
	struct buf answer = { .limit = MOST_BYTES };
	struct head head = { .len = UINT64_MAX };
	int code = read_answer(fd, answerer, &answer, err);

	if (answer.len >= sizeof(head))
		memcpy(&head, answer.data, sizeof(head));
	if (!code && head.len != answer.len - sizeof(head))
		code = err_set(err, -ENOMEM, "it was stopped, or needed more than %llu MB",
			       (unsigned long long)memory_limit_recorder() >> 20);
	if (!code && head.len)
		(void)buf_append(ret, answer.data + sizeof(head), (size_t)head.len);
	if (!code)
		*ret_made = head.made;
	buf_done(&answer);
	return code;
}

static int ask(int fd, const struct keep_names_request *request, struct buf *ret, struct err *err)
{
	struct answerer answerer = { .begun_ns = clock_ns(CLOCK_MONOTONIC) };
	struct section_cache_made made = { 0 };
	int ends[2], code;

	if (pipe2(ends, O_CLOEXEC))
		return err_errno(err, "pipe");
	answerer.pid = fork();
	if (answerer.pid == 0)
		child(fd, request, ends[1]);
	(void)close(ends[1]);
	code = answerer.pid < 0 ? err_errno(err, "fork")
				: take_answer(ends[0], &answerer, ret, &made, err);
	(void)close(ends[0]);
	if (answerer.pid > 0) {
		(void)kill(answerer.pid, SIGKILL); /* it has ended already, or takes too long */
		while (waitpid(answerer.pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (!code)
		section_cache_store(request->unpacked, &made);
	return code;
}

int record_names_find(int fd, const struct keep_names_request *request, struct buf *ret,
		      bool *ret_lines, struct err *err)
{
	struct keep_names_request wanted = *request;
	struct err first = { 0 };
	int code;

	wanted.lines = true;
	wanted.unpacked = section_cache_open(NULL, 0);
	code = ask(fd, &wanted, ret, &first);
	section_cache_close(wanted.unpacked);
	wanted.unpacked = NULL;
	*ret_lines = !code;
	if (!code)
		return 0;
	if (code != -ENOMEM) {
		*err = first;
		return code;
	}
	wanted.lines = false;
	return ask(fd, &wanted, ret, err);
}
