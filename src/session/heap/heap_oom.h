/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for the kernel to kill a process of a cgroup for lack of memory. The cgroup is that of a
 * process, wherever it is moved to; cgroups of both versions count such kills. */
#ifndef SESSION_HEAP_HEAP_OOM_H
#define SESSION_HEAP_HEAP_OOM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/heap/heap.h"
#include "session/run.h"

struct heap_oom {
	pid_t pid; /* 0 = the program of the run */
	struct run *run;
	struct run_timer timer;
	char folder[PATH_MAX]; /* of the cgroup; empty = none that counts was found */
	const char *counter;   /* file in it */
	uint64_t before;       /* kills that were there when the cgroup was met */
	struct heap_oom_kill kill;
	bool seen;	/* the kill was, at the timer's last turn */
	char score[16]; /* this process's oom_score_adj, while it is another */
};

/* This process and its children are killed last; the program as it would be. Before the recorder
 * starts anything. Harmless where it is not permitted. */
void heap_oom_begin(struct heap_oom *oom);
/* In the loop, before the program runs. The loop ends at a kill. */
void heap_oom_attend(struct heap_oom *oom, struct run *run);
/* After the loop: whether there was a kill. */
bool heap_oom_end(struct heap_oom *oom);

/* The parts. Of the text of /proc/PID/cgroup; first_version: of a hierarchy with the controller
 * "memory". False: there is none. */
bool heap_oom_cgroup(const char *text, bool first_version, char path[PATH_MAX]);
/* Of the text of /proc/PID/stat: whether the process is ending, or has a SIGKILL to end by. */
bool heap_oom_is_ending(const char *stat);
/* "oom_kill 3" in memory.events or memory.oom_control. */
bool heap_oom_count(const char *text, uint64_t *ret);

#endif
