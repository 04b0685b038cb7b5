/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How perf sched spells times (cut, never rounded up), CPUs and threads. */
#ifndef VIEW_SCHED_TIME_TEXT_H
#define VIEW_SCHED_TIME_TEXT_H

#include <stdint.h>

struct buf;
struct sched_task;

/* Nanoseconds as "milliseconds.microseconds", the former padded to width. */
void sched_put_ms(struct buf *ret, uint64_t ns, int width);
/* Nanoseconds as "seconds.microseconds", the whole padded to width. */
void sched_put_time(struct buf *ret, uint64_t ns, int width);

/* "[0007]" */
void sched_put_cpu(struct buf *ret, uint32_t cpu);
/* "name[tid]", "name[tid/pid]" or "<idle>". */
void sched_put_task(struct buf *ret, const struct sched_task *task);

#endif
