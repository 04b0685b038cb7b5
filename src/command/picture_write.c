/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See picture_write.h. */
#include "command/picture_write.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/picture_options.h"
#include "profile/profile.h"
#include "profile/redact.h"
#include "profile/sample_weight.h"
#include "view/flame/flame_html.h"

#define TITLE_BYTES 80 /* another word may follow fewer */

void picture_put_words(const char *const *words, size_t count, struct buf *ret)
{
	for (size_t i = 0; i < count && ret->len < TITLE_BYTES; i++) {
		(void)buf_puts(ret, i ? " " : "");
		(void)buf_put_tidy(ret, words[i]);
	}
}

void picture_put_subject(const struct picture_subject *subject, struct buf *ret)
{
	if (subject->count && subject->redaction)
		redaction_put_command(subject->redaction, subject->words, subject->count, ret);
	else if (subject->count)
		picture_put_words(subject->words, subject->count, ret);
	else if (subject->pids)
		(void)buf_printf(ret, "process %s", subject->pids);
	else if (subject->tids)
		(void)buf_printf(ret, "thread %s", subject->tids);
	else
		(void)buf_puts(ret, "all threads");
}

void picture_put_machine(const char *hostname, const char *release, struct buf *ret)
{
	if (hostname)
		(void)buf_put_tidy(ret, hostname);
	if (release) {
		(void)buf_puts(ret, ret->len ? " \xc2\xb7 Linux " : "Linux ");
		(void)buf_put_tidy(ret, release);
	}
}

void picture_put_host(struct buf *ret)
{
	struct utsname host;

	if (uname(&host) == 0)
		picture_put_machine(host.nodename, host.release, ret);
}

/* Says what was written where, and what stood there before. */
static void print_written(const struct profile *profile, const char *output, bool replaced)
{
	uint64_t samples = 0, lost = profile->meta.lost_samples + profile->meta.lost_events;
	AUTO_FREE char *name = mem_strdup(output);
	bool counted = true;

	for (size_t i = 0; i < profile->events.count; i++) {
		samples += profile->events.item[i].samples;
		counted &= profile_event_is_counted(&profile->events.item[i]);
	}
	text_tidy(name, strlen(name));
	(void)fprintf(stderr, "[ cupel: %s %s: %llu %s, %llu lost ]\n",
		      replaced ? "replaced" : "wrote", name, (unsigned long long)samples,
		      !counted	     ? "units of weight"
		      : samples == 1 ? "sample"
				     : "samples",
		      (unsigned long long)lost);
}

void picture_rescue(const struct buf *picture, struct err *err)
{
	const char *folders[] = { getenv("TMPDIR"), "/tmp", "/dev/shm" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char path[PATH_MAX];
		AUTO_CLOSE int fd = -1;

		if (!folders[i] || snprintf(path, sizeof(path), "%s/cupel-picture-XXXXXX",
					    folders[i]) >= (int)sizeof(path))
			continue;
		fd = mkostemp(path, O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!fd_write_all(fd, picture->data, picture->len)) {
			(void)err_hint(err, "the picture of the recording is in %s", path);
			return;
		}
		(void)unlink(path);
	}
}

int picture_write(const struct profile *profile, const char *output, bool quiet,
		  struct buf *picture, struct err *err)
{
	bool file = output && strcmp(output, "-") != 0;
	struct stat old;
	bool replaced = file && stat(output, &old) == 0 && S_ISREG(old.st_mode);
	int r = command_write_output(output, picture, err);

	if (r == 0 && file && !quiet)
		print_written(profile, output, replaced);
	return r;
}

int picture_write_flame(const struct profile *profile, const struct flame_graph_options *options,
			const char *path, struct err *err)
{
	struct flame_graph_options here = *options;
	struct buf host = { 0 }, picture = { 0 };
	int code;

	picture_put_host(&host);
	here.subtitle = host.data;
	code = picture_is_html(path) ? flame_html(profile, &here, &picture, err)
				     : flame_graph_svg(profile, &here, &picture, NULL, err);
	if (!code)
		code = picture_write(profile, path, false, &picture, err);
	buf_done(&host);
	buf_done(&picture);
	return code;
}
