/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the kernel's text files about the machine into running totals. Each function takes the
 * text of one file, NUL-terminated; missing values stay unknown. Formats: proc(5), iostats and psi
 * in the kernel's documentation. */
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
/* The path of the cgroup with the effective quota, in either version's hierarchy. Returns false if
 * there is none. Sets is_v2. */
bool machine_proc_cgroup(const char *text, bool *is_v2, char *ret, size_t size);

#endif
