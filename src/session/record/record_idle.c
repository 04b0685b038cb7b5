/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States and CPU time of targets (see record_idle.h). A process has a clock; another process's
 * thread has none that we may read, but its schedstat has the same time. */
#include "session/record/record_idle.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "source/id_list.h"

struct target {
	int id;
	bool has_cpu_ns;
	uint64_t cpu_ns;
};

struct record_idle {
	VEC(struct target) targets;
	bool threads;
};

/* False: it has ended, or there is no such file. */
static bool read_text(int id, const char *name, char *ret, size_t size)
{
	char path[64];
	ssize_t len;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", id, name);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : fd_read_full(fd, ret, size - 1);
	ret[len > 0 ? len : 0] = '\0';
	return len > 0;
}

/* 0: it has ended. */
static char state_of(int id)
{
	char text[1024];
	const char *close;

	if (!read_text(id, "stat", text, sizeof(text)))
		return 0;
	close = strrchr(text, ')'); /* the name may hold anything */
	if (!close || close[1] != ' ' || close[2] == 'Z' || close[2] == 'X')
		return 0;
	return close[2];
}

static bool cpu_time_of(int id, bool thread, uint64_t *ret)
{
	struct timespec time;
	clockid_t clock;
	char text[128];

	if (thread)
		return read_text(id, "schedstat", text, sizeof(text)) &&
		       sscanf(text, "%" SCNu64, ret) == 1;
	if (clock_getcpuclockid(id, &clock) || clock_gettime(clock, &time))
		return false;
	*ret = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	return true;
}

static bool is_known(const struct record_idle *idle, int id)
{
	for (size_t i = 0; i < idle->targets.count; i++)
		if (idle->targets.item[i].id == id)
			return true;
	return false;
}

struct record_idle *record_idle_begin(const char *pids, const char *tids)
{
	struct err ignored = { 0 }; /* a wrong list was refused when the events were opened */
	struct id_list list = { 0 };
	struct record_idle *idle;

	if (!pids && !tids)
		return NULL;
	idle = mem_zalloc(sizeof(*idle));
	idle->threads = !pids;
	(void)id_list_parse(pids ? pids : tids, "process", &list, &ignored);
	for (size_t i = 0; i < list.count; i++) {
		struct target target = { .id = list.item[i] };

		if (is_known(idle, target.id))
			continue;
		target.has_cpu_ns = cpu_time_of(target.id, idle->threads, &target.cpu_ns);
		vec_push(&idle->targets, target);
	}
	vec_done(&list);
	return idle;
}

void record_idle_end(const struct record_idle *idle, struct recording_idle *ret)
{
	*ret = (struct recording_idle){ 0 };
	if (!idle || !idle->targets.count)
		return;
	ret->targets = (unsigned)idle->targets.count;
	ret->threads = idle->threads;
	ret->id = idle->targets.item[0].id;
	ret->has_cpu_ns = true;
	for (size_t i = 0; i < idle->targets.count; i++) {
		const struct target *target = &idle->targets.item[i];
		char state = state_of(target->id);
		uint64_t now_ns = 0;

		ret->stopped += state == 'T';
		ret->traced += state == 't';
		ret->ended += !state;
		if (state && target->has_cpu_ns &&
		    cpu_time_of(target->id, idle->threads, &now_ns) && now_ns >= target->cpu_ns)
			ret->cpu_ns += now_ns - target->cpu_ns;
		else
			ret->has_cpu_ns = false;
	}
}

void record_idle_free(struct record_idle *idle)
{
	if (!idle)
		return;
	vec_done(&idle->targets);
	free(idle);
}

bool recording_idle_all(const struct recording_idle *idle)
{
	return idle->targets && (idle->stopped + idle->traced == idle->targets ||
				 (idle->has_cpu_ns && !idle->cpu_ns));
}

static void put_cpu_time(const struct recording_idle *idle, char *ret, size_t size)
{
	if (idle->has_cpu_ns && idle->cpu_ns)
		(void)snprintf(ret, size, " used %.3f ms of CPU time", (double)idle->cpu_ns / 1e6);
	else if (idle->has_cpu_ns)
		(void)snprintf(ret, size, " used no CPU time");
}

static void one_text(const struct recording_idle *idle, char *ret, size_t size)
{
	int len = snprintf(ret, size, "%s %d", idle->threads ? "thread" : "process", idle->id);
	size_t left;

	if (len < 0 || (size_t)len >= size)
		return;
	left = size - (size_t)len;
	if (idle->stopped)
		(void)snprintf(ret + len, left, " is stopped (kill -CONT %d continues it)",
			       idle->id);
	else if (idle->traced)
		(void)snprintf(ret + len, left, " is stopped by a debugger");
	else if (idle->ended)
		(void)snprintf(ret + len, left, " has ended");
	else if (idle->has_cpu_ns)
		put_cpu_time(idle, ret + len, left);
	else
		ret[0] = '\0';
}

static void put_count(char *ret, size_t size, unsigned count, const char *one, const char *several)
{
	size_t len = strlen(ret);

	if (count)
		(void)snprintf(ret + len, size - len, ", %u %s", count, count == 1 ? one : several);
}

void recording_idle_text(const struct recording_idle *idle, char *ret, size_t size)
{
	size_t len;

	ret[0] = '\0';
	if (!idle->targets)
		return;
	if (idle->targets == 1) {
		one_text(idle, ret, size);
		return;
	}
	(void)snprintf(ret, size, "%u %s", idle->targets, idle->threads ? "threads" : "processes");
	len = strlen(ret);
	put_cpu_time(idle, ret + len, size - len);
	put_count(ret, size, idle->stopped, "is stopped", "are stopped");
	put_count(ret, size, idle->traced, "is stopped by a debugger", "are stopped by a debugger");
	put_count(ret, size, idle->ended, "has ended", "have ended");
}
