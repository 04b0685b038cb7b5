/* SPDX-License-Identifier: GPL-2.0-or-later */
/* May this process open such an event? Answered by opening it, disabled, and closing it. */
#ifndef SOURCE_EVENT_TRY_H
#define SOURCE_EVENT_TRY_H

#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;

/* Returns 0 or -errno of perf_event_open(2). The attr is the caller's; its size is filled in. */
int event_try(const struct perf_event_attr *attr, pid_t pid, int cpu);
/* The same for one event of the calling process, without the kernel if that is not permitted. */
int event_try_own(uint32_t type, uint64_t config);

#endif
