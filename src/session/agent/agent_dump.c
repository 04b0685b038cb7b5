/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flight recorder's files (see agent_dump.h). */
#include "session/agent/agent_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
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
#include "base/memory_limit.h"
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

/* It ends without an answer when it reaches its limit of memory. */
static _Noreturn void copy_in_child(int raw, int fd, int socket)
{
	const struct inject_options options = { .build_ids = true };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), code;
	struct inject_tally tally = { 0 };
	struct buf nothing = { 0 };
	struct err err = { 0 };
	char path[32];

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	be_first_to_go();
	(void)dup2(null, STDERR_FILENO); /* the agent says what is to be said */
	memory_limit_forked();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", raw);
	code = inject_recording(path, &options, fd, &tally, &err);
	(void)confined_answer(socket, code, &nothing, &err); /* no agent: the end */
	_exit(0);
}

/* In a child: a reader that reaches its limit of memory ends its process. */
static int copy(int raw, int fd, struct err *err)
{
	const struct timeval patience = { .tv_sec = COPY_S };
	struct confined child = CONFINED_NONE;
	struct buf nothing = { 0 };
	int ends[2], code;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return err_errno(err, "socketpair");
	child = (struct confined){ .pid = fork(), .socket = ends[0] };
	if (child.pid == 0)
		copy_in_child(raw, fd, ends[1]);
	(void)close(ends[1]);
	(void)setsockopt(child.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	code = child.pid < 0 ? err_errno(err, "fork") : confined_take(&child, &nothing, err);
	confined_end(&child);
	if (code == -ECHILD)
		code = err_set(err, code,
			       "the copy needs more memory than a reader may have, or "
			       "more than %d s, or was ended",
			       COPY_S);
	return code;
}

int agent_dump(struct live *live, const char *folder, const char *reason, char *ret,
	       struct err *err)
{
	AUTO_CLOSE int raw = fd_temporary("cupel-flight", err);
	uint64_t dropped;
	int code;

	if (raw < 0)
		return raw;
	live_end_moment(live);
	if (live_save(live, raw, &dropped, err))
		return err->code;
	AUTO_CLOSE int fd = create(folder, reason, ret, err);
	if (fd < 0)
		return fd;
	code = copy(raw, fd, err);
	if (code)
		(void)unlink(ret); /* half a recording is of no use */
	return code;
}
