/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the cgroups that perf events know are mounted: version 2, or version 1 with the perf_event
 * controller, which wins where there are both. */
#ifndef SOURCE_CGROUP_H
#define SOURCE_CGROUP_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* root is a prefix of /proc ("" on a live system). Returns -ENOENT if there is none. */
int cgroup_mount(const char *root, char *ret, size_t size, struct err *err);
/* The id that the kernel knows a cgroup of version 2 by. path: its folder, or its name below where
 * version 2 is mounted. */
int cgroup_id(const char *path, uint64_t *ret, struct err *err);
/* Calls visit() with each cgroup of version 2 that there is: its name, "/" for the root, and below
 * where version 2 is mounted. Threads: one at a time. */
void cgroup_each(void (*visit)(void *context, uint64_t id, const char *name), void *context);

#endif
