/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's text files about the machine, read into running totals. Each function takes the text
 * of one file, NUL-terminated; what is missing in it stays unknown. Formats: proc(5), iostats and
 * psi in the kernel's documentation. */
#ifndef SOURCE_CONTEXT_PROC_H
#define SOURCE_CONTEXT_PROC_H

#include "event/context.h"

/* Counts since boot, not of an interval; levels as they are. */
void context_proc_stat(const char *text, uint64_t ticks_per_s, struct context_sample *totals);
void context_proc_schedstat(const char *text, struct context_sample *totals);
void context_proc_meminfo(const char *text, struct context_sample *totals);
void context_proc_vmstat(const char *text, struct context_sample *totals);
void context_proc_pressure(const char *text, enum context_value some, enum context_value full,
			   struct context_sample *totals); /* equal ids: "some" alone */
void context_proc_diskstats(const char *text, struct context_sample *totals);
void context_proc_net_dev(const char *text, struct context_sample *totals);
void context_proc_snmp(const char *text, struct context_sample *totals);
void context_proc_cpu_stat(const char *text, struct context_sample *totals); /* of a cgroup */
/* The path of the group whose quota counts, in either version's hierarchy. False: there is none.
 * is_v2 tells which. */
bool context_proc_cgroup(const char *text, bool *is_v2, char *ret, size_t size);

#endif
