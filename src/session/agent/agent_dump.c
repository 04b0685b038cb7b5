/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flight recorder's files (see agent_dump.h). */
#include "session/agent/agent_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/fork_server.h"
#include "session/inject/inject.h"
#include "session/live.h"

#define COPY_S 100 /* less than the patience of the service manager */

static int create(const char *folder, const char *reason, char *ret, struct err *err)
{
	time_t now = time(NULL);
	struct tm tm = { 0 };
	char when[32];
	int fd = -1;

	if (mkdir(folder, 0700) && errno != EEXIST)
		return err_errno(err, "%s", folder);
	(void)localtime_r(&now, &tm);
	(void)strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	for (unsigned i = 0; i < 100 && fd < 0; i++) {
		if (i)
			(void)snprintf(ret, AGENT_DUMP_PATH, "%s/flight-%s-%s-%u.data", folder,
				       when, reason, i);
		else
			(void)snprintf(ret, AGENT_DUMP_PATH, "%s/flight-%s-%s.data", folder, when,
				       reason);
		fd = open(ret, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd < 0 ? err_errno(err, "%s", ret) : fd;
}

/* Where memory ends, the kernel is to end this process, not the agent. */
static void be_first_to_go(void)
{
	AUTO_CLOSE int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		(void)fd_write_all(fd, "1000", 4); /* older kernels do without */
}

/* What the process that copies is asked: descriptors of the agent. */
struct request {
	pid_t pid;
	int raw, fd;
};

/* In a process that was forked without threads. It ends without an answer when it reaches its limit
 * of memory. */
static void copy_here(int socket)
{
	const struct inject_options options = { .build_ids = true };
	struct inject_tally tally = { 0 };
	struct buf nothing = { 0 };
	struct request request;
	struct err err = { 0 };
	char raw[64], path[64];
	int code, fd;

	(void)prctl(PR_SET_NAME, "cupel-dump");
	be_first_to_go();
	if (fd_read_full(socket, &request, sizeof(request)) != (ssize_t)sizeof(request))
		return;
	(void)snprintf(raw, sizeof(raw), "/proc/%d/fd/%d", (int)request.pid, request.raw);
	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)request.pid, request.fd);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	code = fd < 0 ? err_errno(&err, "%s", path)
		      : inject_recording(raw, &options, fd, &tally, &err);
	(void)confined_answer(socket, code, &nothing, &err); /* no agent: the end */
}

/* A reader that reaches its limit of memory ends its process. */
static int copy(struct fork_server *forks, int raw, int fd, struct err *err)
{
	const struct request request = { getpid(), raw, fd };
	const struct timeval patience = { .tv_sec = COPY_S };
	struct buf nothing = { 0 };
	pid_t pid;
	int code;
	AUTO_CLOSE int socket = fork_server_start(forks, copy_here, &pid);

	if (socket < 0)
		return err_set(err, socket, "no process can be started: %s", strerror(-socket));
	(void)setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	code = fd_write_all(socket, &request, sizeof(request));
	if (!code)
		code = confined_take(&(struct confined){ pid, socket }, &nothing, err);
	(void)fork_server_end(forks, pid);
	if (code == -ECHILD || code == -EPIPE)
		code = err_set(err, code,
			       "the copy needs more memory than a reader may have, or "
			       "more than %d s, or was ended",
			       COPY_S);
	return code;
}

int agent_dump(const struct agent_dump_from *from, const char *folder, const char *reason,
	       char *ret, struct err *err)
{
	AUTO_CLOSE int raw = fd_temporary("cupel-flight", err);
	uint64_t dropped;
	int code;

	if (raw < 0)
		return raw;
	live_end_moment(from->live);
	if (live_save(from->live, raw, &dropped, err))
		return err->code;
	AUTO_CLOSE int fd = create(folder, reason, ret, err);
	if (fd < 0)
		return fd;
	code = copy(from->forks, raw, fd, err);
	if (code)
		(void)unlink(ret); /* half a recording is of no use */
	return code;
}
