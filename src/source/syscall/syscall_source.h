/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the system calls of threads in the kernel (bpf/syscalls.bpf.c; event/syscall.h says how).
 * Threads that end are delivered as they do, the others by stop(), which also delivers the errors
 * and what was lost. Each is an EVENT_OWN, and a struct syscall_report. Requires Linux 5.11 with
 * BTF, and root or CAP_BPF with CAP_PERFMON. */
#ifndef SOURCE_SYSCALL_SOURCE_H
#define SOURCE_SYSCALL_SOURCE_H

#include "event/syscall.h"
#include "source/source.h"

/* One of these. */
struct syscall_report {
	const struct syscall_line *line; /* with its copies behind it */
	const struct syscall_thread *thread;
	const struct syscall_sum *sum;
	const struct syscall_error *error;
	const struct syscall_counts *counts;
};

/* Of struct source_options it reads pids, tids, program, system_wide, no_inherit, cgroup_id and
 * syscalls. */
extern const struct source_ops source_syscalls;

#endif
