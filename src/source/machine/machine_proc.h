/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's text files about the machine, read into running totals. Each function takes the text
 * of one file, NUL-terminated; what is missing in it stays unknown. Formats: proc(5), iostats and
 * psi in the kernel's documentation. */
#ifndef SOURCE_MACHINE_PROC_H
#define SOURCE_MACHINE_PROC_H

#include "event/machine.h"

/* Counts since boot, not of an interval; levels as they are. */
void machine_proc_stat(const char *text, uint64_t ticks_per_s, struct machine_sample *totals);
void machine_proc_schedstat(const char *text, struct machine_sample *totals);
void machine_proc_meminfo(const char *text, struct machine_sample *totals);
void machine_proc_vmstat(const char *text, struct machine_sample *totals);
void machine_proc_pressure(const char *text, enum machine_value some, enum machine_value full,
			   struct machine_sample *totals); /* equal ids: "some" alone */
void machine_proc_diskstats(const char *text, struct machine_sample *totals);
void machine_proc_net_dev(const char *text, struct machine_sample *totals);
void machine_proc_snmp(const char *text, struct machine_sample *totals);
void machine_proc_cpu_stat(const char *text, struct machine_sample *totals); /* of a cgroup */
/* The path of the group whose quota counts, in either version's hierarchy. False: there is none.
 * is_v2 tells which. */
bool machine_proc_cgroup(const char *text, bool *is_v2, char *ret, size_t size);

#endif
