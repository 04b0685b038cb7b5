/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording of what top shows (see top_recording.h). */
#include "command/top/top_recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/browser/browser_annotate.h"
#include "session/inject/inject.h"
#include "session/live.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "view/browser/browser.h"

#define STEM	   "perf.data"
#define MOST_FILES 10000

struct top_recording {
	int fd;
	char path[32]; /* of the descriptor */
	char gap[96];
	struct load_options load;
	struct browser_annotate *annotate;
};

int top_recording_take(struct live *live, const struct symbol_options *symbol,
		       struct top_recording **ret, struct err *err)
{
	AUTO_CLOSE int fd = fd_temporary("cupel-top", err);
	struct top_recording *r;
	uint64_t dropped;

	if (fd < 0)
		return fd;
	if (live_save(live, fd, &dropped, err))
		return err->code;
	r = mem_zalloc(sizeof(*r));
	r->fd = take_fd(&fd);
	(void)snprintf(r->path, sizeof(r->path), "/proc/self/fd/%d", r->fd);
	if (dropped)
		(void)snprintf(r->gap, sizeof(r->gap),
			       "; %" PRIu64 " samples are missing, there was no memory for them",
			       dropped);
	r->load.symbol = *symbol;
	r->annotate = browser_annotate_new(r->path, &r->load);
	*ret = r;
	return 0;
}

void top_recording_free(struct top_recording *r)
{
	if (!r)
		return;
	browser_annotate_free(r->annotate);
	fd_close(&r->fd);
	free(r);
}

static int create(struct browser_file *file, struct err *err)
{
	for (int i = 1; i < MOST_FILES; i++) {
		int fd;

		(void)snprintf(file->name, sizeof(file->name), STEM ".%d", i);
		fd = open(file->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return err_errno(err, "%s", file->name);
	}
	return err_set(err, -EEXIST, STEM ".N: there are too many of them");
}

int top_recording_write(const struct top_recording *r, struct browser_file *file, struct err *err)
{
	const struct inject_options options = { .build_ids = true };
	AUTO_CLOSE int fd = create(file, err);
	struct inject_tally tally;

	if (fd < 0)
		return fd;
	if (inject_recording(r->path, &options, fd, &tally, err)) {
		(void)unlink(file->name); /* half a recording is of no use */
		(void)err_wrap(err, "%s", file->name);
	}
	buf_done(&tally.notes);
	file->note = r->gap;
	return err->code;
}

int top_recording_header(const struct top_recording *r, struct buf *ret, struct err *err)
{
	struct recording *recording;
	int code = recording_open(r->path, &recording, err);

	if (code)
		return code;
	code = recording_header_text(recording, false, ret, err);
	recording_close(recording);
	return code;
}

int top_recording_annotate(struct top_recording *r, const struct browser_function *function,
			   struct annotation **ret, struct err *err)
{
	return browser_annotate_build(r->annotate, function, ret, err);
}
