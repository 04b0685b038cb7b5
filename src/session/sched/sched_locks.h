/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What threads wait for when they leave a CPU, by the entries and exits of waits for locks that a
 * recording has: the kernel's (lock:contention_*) and system calls of futexes. A wait is known from
 * its entry to its exit only. */
#ifndef SESSION_SCHED_LOCKS_H
#define SESSION_SCHED_LOCKS_H

#include <stdint.h>

struct proc_table;
struct sched_locks;
struct sched_sample;
struct sched_task;

/* symfs: "" = none. */
struct sched_locks *sched_locks_new(const char *symfs);
void sched_locks_free(struct sched_locks *locks);
/* A sample with its numbers. `pid` is the process of the thread. */
void sched_locks_take(struct sched_locks *locks, const struct sched_sample *sample,
		      const struct sched_task *task, uint32_t pid);
/* The process has become another program, or is another one. */
void sched_locks_renew(struct sched_locks *locks, uint32_t pid);
/* After lost records: what is on may have ended. */
void sched_locks_forget(struct sched_locks *locks);
/* "[lock queue.mutex]", or NULL: the thread waits for no lock that is known. Valid until
 * sched_locks_free(). It reads binaries. */
const char *sched_locks_text(struct sched_locks *locks, const struct sched_task *task,
			     struct proc_table *procs);

#endif
