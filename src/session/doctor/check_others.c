/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who else samples: descriptors of perf events, and BPF programs that can take samples. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/doctor/doctor_check.h"
#include "source/bpf/bpf_kind.h"

#define PERF_EVENT_LINK "anon_inode:[perf_event]"
#define TIME_LIMIT_NS	60000000u

struct others {
	size_t processes, events;
	char names[128]; /* of the first ones */
	bool hidden;	 /* some processes could not be looked at */
	bool late;	 /* there are too many descriptors for the time */
};

static size_t count_events(int fds, DIR *folder)
{
	struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(folder))) {
		char target[sizeof(PERF_EVENT_LINK) + 1];
		ssize_t len = readlinkat(fds, entry->d_name, target, sizeof(target));

		count += len == (ssize_t)strlen(PERF_EVENT_LINK) &&
			 !memcmp(target, PERF_EVENT_LINK, (size_t)len);
	}
	return count;
}

static void look_at(struct doctor *doctor, const char *pid, struct others *others)
{
	char path[300];
	const char *comm;
	size_t events, at = strlen(others->names);
	DIR *folder;

	(void)snprintf(path, sizeof(path), "%s/proc/%s/fd", doctor->options->root, pid);
	folder = opendir(path);
	if (!folder) {
		others->hidden = others->hidden || errno == EACCES || errno == EPERM;
		return;
	}
	events = count_events(dirfd(folder), folder);
	(void)closedir(folder); /* only read */
	if (!events)
		return;
	others->processes++;
	others->events += events;
	(void)snprintf(path, sizeof(path), "/proc/%s/comm", pid); /* a number fits */
	comm = doctor_read(doctor, path);
	(void)snprintf(others->names + at, sizeof(others->names) - at, "%s%s (%s)", at ? ", " : "",
		       comm ? comm : "?", pid); /* cut off when long */
}

static void find_others(struct doctor *doctor, struct others *others)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + TIME_LIMIT_NS;
	struct dirent *entry;
	char path[300];
	DIR *proc;

	(void)snprintf(path, sizeof(path), "%s/proc", doctor->options->root); /* else not found */
	proc = opendir(path);
	while (proc && (entry = readdir(proc))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid == (long)getpid())
			continue;
		if (clock_ns(CLOCK_MONOTONIC) > end) {
			others->late = true;
			break;
		}
		look_at(doctor, entry->d_name, others);
	}
	if (proc)
		(void)closedir(proc); /* only read */
}

void check_others(struct doctor *doctor, struct doctor_finding *finding)
{
	struct others others = { 0 };
	struct bpf_attached programs;
	char text[128] = "";

	find_others(doctor, &others);
	if (!bpf_attached_list(&programs) && programs.count)
		(void)snprintf(text, sizeof(text), "; BPF programs: %zu (%.80s)", programs.count,
			       programs.names); /* fits */
	if (!others.processes) {
		finding_set(doctor, finding, DOCTOR_OK, "no other process has perf events%s%s",
			    others.hidden ? " (of those that can be seen)"
			    : others.late ? " (not all were looked at)"
					  : "",
			    text);
		return;
	}
	finding_set(doctor, finding, DOCTOR_LIMITED, "%zu perf events of %s%s", others.events,
		    others.names, text);
	finding->consequence = "their cost is in your profile, and they share the CPU's counters";
	finding->fix = "end them, if two profilers at a time are not meant";
}
