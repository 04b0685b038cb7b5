/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Triggers of pressure (see agent_pressure.h). */
#include "session/agent/agent_pressure.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"

#define WINDOW_MIN  500u /* ms: what the kernel takes */
#define WINDOW_MAX  10000u
#define THREADS_MAX 8192 /* of a cgroup */
#define LIST_MAX    ((size_t)1 << 20)

/* Of stall_ms in window_ms. */
static int open_trigger(const char *path, const char *kind, struct agent_pressure *ret,
			struct err *err)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%s %u %u", kind, ret->stall_ms * 1000,
		       ret->window_ms * 1000);
	ret->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (ret->fd < 0 || write(ret->fd, text, strlen(text) + 1) < 0) {
		(void)err_errno(err, "%s", path);
		agent_pressure_close(ret);
		return err->code;
	}
	return 0;
}

int agent_pressure_open(const char *spec, struct agent_pressure *ret, struct err *err)
{
	char what[16], kind[8], path[64];
	unsigned stall, window;

	*ret = AGENT_PRESSURE_NONE;
	if (sscanf(spec, "%15[a-z]:%7[a-z]:%u/%u", what, kind, &stall, &window) != 4 ||
	    (strcmp(kind, "some") != 0 && strcmp(kind, "full") != 0) || !stall || stall > window ||
	    window > WINDOW_MAX)
		return err_usage(err,
				 "%s: expected cpu, memory or io, some or full, and ms of stall "
				 "in ms of time: cpu:some:300/1000",
				 spec);
	(void)snprintf(path, sizeof(path), "/proc/pressure/%s", what);
	ret->stall_ms = stall;
	ret->window_ms = window;
	return open_trigger(path, kind, ret, err);
}

static bool has_file(const char *folder, const char *name)
{
	char path[4096];

	return snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

/* Version 2 first: it has the pressure. */
static int find_folder(const char *cgroup, char *ret, size_t size, struct err *err)
{
	static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified",
					     "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct",
					     "/sys/fs/cgroup/systemd" };

	if (cgroup[0] == '/' && snprintf(ret, size, "%s", cgroup) < (int)size &&
	    has_file(ret, "cgroup.procs"))
		return 0;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		if (snprintf(ret, size, "%s/%s", roots[i], cgroup) < (int)size &&
		    has_file(ret, "cgroup.procs"))
			return 0;
	return err_set(err, -ENOENT, "%s: there is no such cgroup", cgroup);
}

int agent_pressure_open_cgroup(const char *spec, struct agent_pressure *ret, struct err *err)
{
	char cgroup[4096], what[16], path[4200];
	const char *numbers = strrchr(spec, ':'), *resource = numbers;
	unsigned stall, window;
	int used = 0;

	*ret = AGENT_PRESSURE_NONE;
	while (resource && resource > spec && resource[-1] != ':')
		resource--;
	if (!numbers || resource < spec + 2 || (size_t)(resource - spec) > sizeof(cgroup) ||
	    sscanf(resource, "%15[a-z]:%u/%u%n", what, &stall, &window, &used) != 3 ||
	    resource[used] || !stall || stall > WINDOW_MAX * THREADS_MAX || window < WINDOW_MIN ||
	    window > WINDOW_MAX)
		return err_usage(err,
				 "%s: expected a cgroup, cpu, memory or io, and ms of waiting in "
				 "%u to %u ms of time: system.slice/web.service:cpu:200/1000",
				 spec, WINDOW_MIN, WINDOW_MAX);
	(void)snprintf(cgroup, sizeof(cgroup), "%.*s", (int)(resource - 1 - spec), spec);
	if (find_folder(cgroup, ret->folder, sizeof(ret->folder), err))
		return err->code;
	(void)snprintf(path, sizeof(path), "%s/%s.pressure", ret->folder, what);
	ret->stall_ms = stall;
	ret->window_ms = window;
	if (access(path, F_OK) == 0) {
		ret->folder[0] = '\0';
		if (stall > window) /* some thread waits at most all of the time */
			return err_usage(err, "%s: %u ms of waiting in %u ms", spec, stall, window);
		return open_trigger(path, "some", ret, err);
	}
	if (strcmp(what, "cpu") != 0) {
		ret->folder[0] = '\0';
		return err_set(err, -ENOENT, "%s: this cgroup has no such file", path);
	}
	return 0;
}

/* Its waits for a CPU; false: it has ended. */
static bool read_delay(const struct agent_pressure *pressure, unsigned tid, uint64_t *ret)
{
	char path[4096];
	struct buf text = { .limit = 4096 };
	struct err ignored = { 0 };
	bool fine;

	(void)snprintf(path, sizeof(path), "%s/proc/%u/schedstat", pressure->root, tid);
	fine = !fd_read_file(path, &text, &ignored) && text.data &&
	       sscanf(text.data, "%*u %" SCNu64, ret) == 1;
	buf_done(&text);
	return fine;
}

struct look {
	struct agent_pressure *pressure;
	struct map now; /* by thread, as delay_ns */
	uint64_t passed_ns, sum_ns;
	size_t threads;
};

static void add_thread(struct look *look, unsigned tid)
{
	const struct agent_pressure *pressure = look->pressure;
	uint64_t before = 0, delay, more;

	if (look->threads++ >= THREADS_MAX || !read_delay(pressure, tid, &delay))
		return;
	(void)map_get(&pressure->delay_ns, tid, &before);
	more = before <= delay ? delay - before : delay;
	/* A new one may have waited long before it came here. */
	look->sum_ns += more < look->passed_ns ? more : look->passed_ns;
	map_set(&look->now, tid, delay);
}

static void add_threads(struct look *look, const char *folder)
{
	static const char *const lists[] = { "cgroup.threads", "tasks" }; /* version 2, 1 */

	for (size_t i = 0; i < 2; i++) {
		struct buf text = { .limit = LIST_MAX };
		struct err ignored = { 0 };
		char path[4200], *at, *end;

		(void)snprintf(path, sizeof(path), "%s/%s", folder, lists[i]);
		if (fd_read_file(path, &text, &ignored) || !text.data) {
			buf_done(&text);
			continue;
		}
		for (at = text.data;; at = end) {
			unsigned long tid = strtoul(at, &end, 10);

			if (end == at)
				break;
			add_thread(look, (unsigned)tid);
		}
		buf_done(&text);
		return;
	}
}

/* With all cgroups below, as the kernel's pressure has it. */
bool agent_pressure_look(struct agent_pressure *pressure, uint64_t now_ns)
{
	struct look look = { .pressure = pressure, .passed_ns = now_ns - pressure->looked_ns };
	char *const roots[] = { pressure->folder, NULL };
	bool first = !pressure->looked_ns;
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	const FTSENT *at;

	while (walk && (at = fts_read(walk)))
		if (at->fts_info == FTS_D)
			add_threads(&look, at->fts_path);
	if (walk)
		(void)fts_close(walk);
	map_done(&pressure->delay_ns);
	pressure->delay_ns = look.now;
	pressure->looked_ns = now_ns;
	pressure->full = look.threads > THREADS_MAX;
	return !first && (double)look.sum_ns * pressure->window_ms >=
				 (double)pressure->stall_ms * (double)look.passed_ns;
}

void agent_pressure_close(struct agent_pressure *pressure)
{
	fd_close(&pressure->fd);
	pressure->fd = -1;
	map_done(&pressure->delay_ns);
	pressure->delay_ns = (struct map){ 0 };
	pressure->folder[0] = '\0';
}
