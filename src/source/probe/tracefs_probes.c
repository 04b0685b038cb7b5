/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See tracefs_probes.h. Format: Documentation/trace/uprobetracer.rst, kprobetrace.rst. */
#include "source/probe/tracefs_probes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/event_spec/tracepoint.h"
#include "source/guard.h"

#define END_WAIT_MS 3000
#define MAX_NAMES   4096
#define MAX_LINE    4095 /* that the kernel takes in one write */

struct tracefs_probes {
	const char *tracefs;
	int folder_fd; /* of tracefs, open in the guard, too */
	struct guard *guard;
	struct arena arena;
};

/* The guard has this descriptor of the folder alone, so paths without a place go by it. */
static int open_folder(struct tracefs_probes *probes, struct err *err)
{
	char path[64];

	probes->folder_fd = open(probes->tracefs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (probes->folder_fd < 0)
		return err_errno(err, "%s", probes->tracefs);
	if (strncmp(probes->tracefs, TRACEFS_OWN, strlen(TRACEFS_OWN)) != 0)
		return 0;
	(void)snprintf(path, sizeof(path), TRACEFS_OWN "%d", probes->folder_fd);
	probes->tracefs = arena_strdup(&probes->arena, path);
	return 0;
}

int tracefs_probes_open(const char *root, struct tracefs_probes **ret, struct err *err)
{
	struct tracefs_probes *probes = mem_zalloc(sizeof(*probes));
	int code = tracefs_find(root, &probes->arena, &probes->tracefs, err);

	probes->folder_fd = -1;
	if (!code)
		code = open_folder(probes, err);
	if (!code)
		code = guard_start(probes->folder_fd, &probes->guard, err);
	if (code)
		(void)tracefs_probes_close(probes);
	else
		*ret = probes;
	return code;
}

static bool is_taken(const struct tracefs_probes *probes, const char *group, const char *event)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/events/%s/%s", probes->tracefs, group, event) >=
		       (int)sizeof(path) ||
	       access(path, F_OK) == 0;
}

int tracefs_probes_free_name(const struct tracefs_probes *probes, const char *group,
			     const char *event, struct buf *ret, struct err *err)
{
	size_t start = ret->len;
	bool taken = true;

	for (unsigned i = 0; taken && i < MAX_NAMES; i++) {
		ret->len = start;
		(void)buf_puts(ret, event);
		if (i)
			(void)buf_printf(ret, "_%u", i);
		taken = is_taken(probes, group, ret->data + start);
	}
	return taken ? err_set(err, -EEXIST, "%s:%s: all names like this are in use", group, event)
		     : 0;
}

/* Exactly as the kernel writes it: a removal is of the place alone, not of others by this name. */
static int put_place(const struct tracefs_probe *probe, struct buf *out, struct err *err)
{
	if (!probe->file)
		return buf_puts(out, probe->function);
	if (strpbrk(probe->file, " \t\n"))
		return err_set(err, -EINVAL,
			       "%s: a file with a blank in its name cannot be probed "
			       "through tracefs",
			       probe->file);
	(void)buf_printf(out, "%s:0x%016" PRIx64, probe->file, probe->offset);
	if (probe->semaphore)
		(void)buf_printf(out, "(0x%" PRIx64 ")", probe->semaphore);
	return 0;
}

static int explain(const struct tracefs_probe *probe, const char *path, struct err *err)
{
	int code = -errno;

	if (code == -EACCES || code == -EPERM) {
		(void)err_set(err, code, "%s: %s", path, strerror(-code));
		return err_hint(err,
				"probes in tracefs require that it can be written: run as root");
	}
	if (code == -ENOENT && !probe->file) {
		(void)err_set(err, code, "%s: this kernel cannot probe it", probe->function);
		return err_hint(err, "it has no kprobes, or not for this function");
	}
	return err_set(err, code, "%s:%s: the kernel refuses the probe: %s", probe->group,
		       probe->event, strerror(-code));
}

/* What removes it is announced before it is made. */
static int make(struct tracefs_probes *probes, const struct tracefs_probe *probe, const char *place,
		struct err *err)
{
	struct buf path = { 0 }, enable = { 0 }, line = { 0 };
	int code;

	(void)buf_printf(&path, "%s/%s", probes->tracefs,
			 probe->file ? "uprobe_events" : "kprobe_events");
	(void)buf_printf(&enable, "%s/events/%s/%s/enable", probes->tracefs, probe->group,
			 probe->event);
	(void)buf_printf(&line, "-:%s/%s", probe->group, probe->event);
	if (probe->file)
		(void)buf_printf(&line, " %s", place);
	(void)buf_putc(&line, '\n');
	code = guard_write(probes->guard, path.data, line.data, err);
	if (!code) /* else it could not be removed; undone before that */
		code = guard_restore(probes->guard, enable.data, "0\n", err);
	if (!code) {
		AUTO_CLOSE int fd = open(path.data, O_WRONLY | O_APPEND | O_CLOEXEC);

		buf_clear(&line);
		(void)buf_printf(&line, "%c:%s/%s %s%s\n", probe->returns ? 'r' : 'p', probe->group,
				 probe->event, place, probe->arguments);
		if (line.len > MAX_LINE)
			code = err_set(err, -E2BIG, "%s:%s: more than the kernel takes",
				       probe->group, probe->event);
		else if (fd < 0 || write(fd, line.data, line.len) < 0)
			code = explain(probe, path.data, err);
	}
	buf_done(&path);
	buf_done(&enable);
	buf_done(&line);
	return code;
}

int tracefs_probes_add(struct tracefs_probes *probes, const struct tracefs_probe *probe,
		       struct err *err)
{
	struct buf place = { 0 };
	int code = put_place(probe, &place, err);

	if (!code)
		code = make(probes, probe, place.data, err);
	buf_done(&place);
	return code;
}

bool tracefs_probes_close(struct tracefs_probes *probes)
{
	bool done = true;

	if (!probes)
		return true;
	done = guard_end(probes->guard, END_WAIT_MS);
	fd_close(&probes->folder_fd);
	arena_done(&probes->arena);
	free(probes);
	return done;
}
