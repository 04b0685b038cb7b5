/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time of targets (see record_targets.h), from /proc/PID/stat: proc(5). */
#include "session/record/record_targets.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "source/id_list.h"

#define MOST_GENERATIONS 100
#define YOUNG_NS	 100000000ull

struct process {
	int pid, parent;
	unsigned long long started; /* tells processes with the same pid apart */
	unsigned long long ticks;   /* its own, and of the children that it has waited for */
};

typedef VEC(struct process) processes;

struct record_targets {
	processes roots, before; /* the targets; their descendants at the beginning */
	unsigned long long ticks, young_from;
};

static bool read_process(int pid, struct process *ret)
{
	unsigned long long user, system, children_user, children_system;
	char path[32], text[1024];
	const char *close;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return false;
	text[len] = '\0';
	close = strrchr(text, ')'); /* the name may hold anything */
	ret->pid = pid;
	/* fields 3 to 13, then the times, 18 to 21, and the start */
	if (!close ||
	    sscanf(close + 1,
		   " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu %llu %llu %*s %*s"
		   " %*s %*s %llu",
		   &ret->parent, &user, &system, &children_user, &children_system,
		   &ret->started) != 6)
		return false;
	ret->ticks = user + system + children_user + children_system;
	return true;
}

static int compare(const void *a, const void *b)
{
	int left = ((const struct process *)a)->pid, right = ((const struct process *)b)->pid;

	return (left > right) - (left < right);
}

static void read_all(processes *all)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	struct process one;

	while (folder && (entry = readdir(folder)))
		if (strtol(entry->d_name, NULL, 10) > 0 &&
		    read_process((int)strtol(entry->d_name, NULL, 10), &one))
			vec_push(all, one);
	if (folder)
		(void)closedir(folder);
	if (all->count)
		qsort(all->item, all->count, sizeof(*all->item), compare);
}

static const struct process *find(const processes *in, int pid)
{
	struct process key = { .pid = pid };

	return in->count ? bsearch(&key, in->item, in->count, sizeof(*in->item), compare) : NULL;
}

/* Whether a chain of parents leads to a target, not through a process that was there before. */
static bool descends(const struct record_targets *targets, const processes *all,
		     const struct process *of)
{
	for (int i = 0; of && i < MOST_GENERATIONS; i++) {
		if (find(&targets->before, of->pid))
			return false;
		if (find(&targets->roots, of->parent))
			return true;
		of = find(all, of->parent);
	}
	return false;
}

struct record_targets *record_targets_begin(const char *pids)
{
	uint64_t ticks_per_s = (uint64_t)sysconf(_SC_CLK_TCK);
	struct record_targets *targets = mem_zalloc(sizeof(*targets));
	struct err ignored = { 0 }; /* a wrong list was refused when the events were opened */
	processes all = { 0 }, found = { 0 };
	struct id_list list = { 0 };
	struct process one;

	targets->young_from = (clock_ns(CLOCK_BOOTTIME) - YOUNG_NS) / (1000000000 / ticks_per_s);
	(void)id_list_parse(pids, "process", &list, &ignored);
	for (size_t i = 0; i < list.count; i++)
		if (!find(&targets->roots, list.item[i]) && read_process(list.item[i], &one)) {
			vec_push(&targets->roots, one);
			targets->ticks += one.ticks;
			qsort(targets->roots.item, targets->roots.count, sizeof(one), compare);
		}
	read_all(&all);
	for (size_t i = 0; i < all.count; i++)
		if (!find(&targets->roots, all.item[i].pid) &&
		    descends(targets, &all, &all.item[i]))
			vec_push(&found, all.item[i]);
	targets->before = found; /* in order */
	vec_done(&all);
	vec_done(&list);
	return targets;
}

/* A child that was just started may be one of the many short ones: what it took before is little.
 */
static bool all_are_there(const processes *before, const processes *all,
			  unsigned long long young_from)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct process *now = find(all, before->item[i].pid);

		if (before->item[i].started >= young_from)
			continue;
		if (!now || now->started != before->item[i].started)
			return false;
	}
	return true;
}

uint64_t record_targets_cpu_ns(const struct record_targets *targets)
{
	unsigned long long ticks = 0, second = (unsigned long long)sysconf(_SC_CLK_TCK);
	processes all = { 0 };

	if (!targets || !targets->roots.count)
		return 0;
	read_all(&all);
	if (!all_are_there(&targets->roots, &all, UINT64_MAX) ||
	    !all_are_there(&targets->before, &all, targets->young_from)) {
		vec_done(&all);
		return 0;
	}
	for (size_t i = 0; i < all.count; i++)
		if (find(&targets->roots, all.item[i].pid) || descends(targets, &all, &all.item[i]))
			ticks += all.item[i].ticks;
	vec_done(&all);
	return ticks > targets->ticks ? (ticks - targets->ticks) * 1000000000 / second : 0;
}

void record_targets_free(struct record_targets *targets)
{
	if (!targets)
		return;
	vec_done(&targets->roots);
	vec_done(&targets->before);
	free(targets);
}
