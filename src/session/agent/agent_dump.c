/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flight recorder's files (see agent_dump.h). */
#include "session/agent/agent_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "session/inject/inject.h"
#include "session/live.h"

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

int agent_dump(struct live *live, const char *folder, const char *reason, char *ret,
	       struct err *err)
{
	const struct inject_options options = { .build_ids = true };
	AUTO_CLOSE int raw = fd_temporary("cupel-flight", err);
	struct inject_tally tally = { 0 };
	uint64_t dropped;
	char path[32];
	int code;

	if (raw < 0)
		return raw;
	live_end_moment(live);
	if (live_save(live, raw, &dropped, err))
		return err->code;
	AUTO_CLOSE int fd = create(folder, reason, ret, err);
	if (fd < 0)
		return fd;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", raw);
	code = inject_recording(path, &options, fd, &tally, err);
	buf_done(&tally.notes);
	if (code)
		(void)unlink(ret); /* half a recording is of no use */
	return code;
}
