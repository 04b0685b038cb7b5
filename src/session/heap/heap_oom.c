/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_oom.h. The count is read every 20 ms, and once more at the end: the program's end may
 * come first. */
#include "session/heap/heap_oom.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"

#define INTERVAL_NS 20000000u
#define SMALL_FILE  16384
#define NOT_LIMITED ((uint64_t)1 << 62) /* version 1 has a number for it */
#define LAST	    "-999"

/* In /proc/PID/stat, from 1 on. */
#define FLAGS_FIELD   9
#define SIGNALS_FIELD 31 /* that wait for the first thread; all have a SIGKILL */
#define EXITING	      4	 /* PF_EXITING */

struct version {
	bool first;
	const char *root, *counter, *limit, *most;
};

static const struct version versions[] = {
	{ true, "/sys/fs/cgroup/memory", "memory.oom_control", "memory.limit_in_bytes",
	  "memory.max_usage_in_bytes" },
	{ false, "/sys/fs/cgroup", "memory.events", "memory.max", "memory.peak" },
	{ false, "/sys/fs/cgroup/unified", "memory.events", "memory.max", "memory.peak" },
};

static bool read_text(const char *path, struct buf *ret)
{
	struct err ignored = { 0 };

	*ret = (struct buf){ .limit = SMALL_FILE };
	return !fd_read_file(path, ret, &ignored) && ret->data;
}

/* "4:memory:/a/b" and "0::/a/b". */
bool heap_oom_cgroup(const char *text, bool first_version, char path[PATH_MAX])
{
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *names = strchr(line, ':'), *place;
		size_t len, count;
		bool found;

		end = strchrnul(line, '\n');
		if (!names || names > end)
			continue;
		place = memchr(names + 1, ':', (size_t)(end - names) - 1);
		if (!place)
			continue;
		count = (size_t)(place - names) - 1;
		found = first_version ? memmem(names + 1, count, "memory", 6) != NULL
				      : strncmp(line, "0::", 3) == 0;
		len = (size_t)(end - place) - 1;
		if (!found || len >= PATH_MAX)
			continue;
		memcpy(path, place + 1, len);
		path[len] = '\0';
		return true;
	}
	return false;
}

bool heap_oom_count(const char *text, uint64_t *ret)
{
	const char *line = strncmp(text, "oom_kill ", 9) == 0 ? text : strstr(text, "\noom_kill ");
	unsigned long long count;

	if (!line || sscanf(line + (*line == '\n'), "oom_kill %llu", &count) != 1)
		return false;
	*ret = count;
	return true;
}

static bool read_file_of(const char *folder, const char *name, struct buf *ret)
{
	char path[PATH_MAX + 64];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return read_text(path, ret);
}

static bool count_of(const char *folder, const char *name, uint64_t *ret)
{
	struct buf text;
	bool found = read_file_of(folder, name, &text) && heap_oom_count(text.data, ret);

	buf_done(&text);
	return found;
}

/* 0 = unknown, or no limit. */
static uint64_t bytes_of(const char *folder, const char *name)
{
	struct buf text;
	uint64_t ret = 0;

	if (read_file_of(folder, name, &text))
		ret = strtoull(text.data, NULL, 10);
	buf_done(&text);
	return ret < NOT_LIMITED ? ret : 0;
}

/* The process may be moved. */
static void follow(struct heap_oom *oom)
{
	char path[64], place[PATH_MAX], folder[PATH_MAX];
	struct buf text;

	(void)snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)oom->pid);
	for (size_t i = 0; read_text(path, &text) && i < sizeof(versions) / sizeof(versions[0]);
	     i++) {
		const struct version *v = &versions[i];
		bool found = heap_oom_cgroup(text.data, v->first, place);
		uint64_t count;

		buf_done(&text);
		if (!found ||
		    snprintf(folder, sizeof(folder), "%s%s", v->root, place) >= (int)sizeof(folder))
			continue;
		if (strcmp(folder, oom->folder) == 0)
			return;
		if (!count_of(folder, v->counter, &count))
			continue;
		(void)snprintf(oom->folder, sizeof(oom->folder), "%s", folder);
		oom->counter = v->counter;
		oom->before = count;
		return;
	}
	buf_done(&text);
}

static bool look(struct heap_oom *oom)
{
	uint64_t count;

	if (!oom->folder[0] || !count_of(oom->folder, oom->counter, &count) || count <= oom->before)
		return false;
	oom->kill = (struct heap_oom_kill){ .cgroup = oom->folder, .kills = count - oom->before };
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (strcmp(versions[i].counter, oom->counter) == 0) {
			oom->kill.limit = bytes_of(oom->folder, versions[i].limit);
			oom->kill.most = bytes_of(oom->folder, versions[i].most);
			break;
		}
	return true;
}

bool heap_oom_is_ending(const char *stat)
{
	const char *state = strrchr(stat, ')'), *field = state;
	unsigned long long flags = 0, pending = 0;

	if (!state || strlen(state) < 3)
		return false;
	for (unsigned number = 2; number < SIGNALS_FIELD; number++) {
		field = strchr(field + 1, ' ');
		if (!field)
			return false;
		if (number + 1 == FLAGS_FIELD)
			flags = strtoull(field, NULL, 10);
	}
	pending = strtoull(field, NULL, 10);
	return strchr("ZXx", state[2]) || flags & EXITING || pending >> (SIGKILL - 1) & 1;
}

/* The kernel counts a kill and then sends the signal, so this is for a moment later. */
static void note_spared(struct heap_oom *oom)
{
	char path[64];
	struct buf text;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)oom->pid);
	if (read_text(path, &text) && !heap_oom_is_ending(text.data))
		oom->kill.spared = (uint32_t)oom->pid;
	buf_done(&text);
}

static int due(void *context, struct err *err)
{
	struct heap_oom *oom = context;

	(void)err;
	if (oom->seen) {
		note_spared(oom);
		run_finish(oom->run, RUN_ENOUGH);
	} else if (look(oom)) {
		oom->seen = true;
	} else {
		follow(oom);
	}
	return 0;
}

static bool put_score(pid_t pid, const char *score)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)pid);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && !fd_write_all(fd, score, strlen(score));
}

void heap_oom_begin(struct heap_oom *oom)
{
	struct buf text;

	if (read_text("/proc/self/oom_score_adj", &text) && text.len < sizeof(oom->score) &&
	    put_score(getpid(), LAST))
		memcpy(oom->score, text.data, text.len + 1);
	buf_done(&text);
}

void heap_oom_attend(struct heap_oom *oom, struct run *run)
{
	if (!oom->pid && oom->score[0])
		(void)put_score(run->program.pid, oom->score);
	if (!oom->pid)
		oom->pid = run->program.pid;
	oom->run = run;
	oom->timer = (struct run_timer){ .interval_ns = INTERVAL_NS, .due = due, .context = oom };
	follow(oom);
	run_add_timer(run, &oom->timer);
}

bool heap_oom_end(struct heap_oom *oom)
{
	bool killed = oom->kill.kills || look(oom);

	if (oom->score[0])
		(void)put_score(getpid(), oom->score);
	return killed;
}
