/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drops the privileges of a process that only reads. Afterwards it can open files only for reading,
 * start threads and use its open descriptors; it cannot start or access other processes, use the
 * network, or make memory executable. It keeps the capabilities for reading (CAP_DAC_READ_SEARCH,
 * CAP_SYS_PTRACE for container roots, CAP_SYSLOG for kernel addresses). Applies to the calling
 * thread and its future threads: call it before starting others. */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include <stdbool.h>

struct err;

/* Whether the process is root or has capabilities. */
bool sandbox_needed(void);
/* Whether it can do more than read: it is to parse nothing that others wrote. */
bool sandbox_is_privileged(void);
/* Called before a file of others is parsed. Under test (CUPEL_CHECK_PRIVILEGES in the environment)
 * a process with privileges aborts. */
void sandbox_check(const char *path);
/* Returns 0, or -errno if the kernel does not support it (seccomp: Linux 3.5). */
int sandbox_enter(struct err *err);

#endif
