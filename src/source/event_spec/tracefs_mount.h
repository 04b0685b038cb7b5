/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracefs for a process that finds it mounted nowhere: a mount of its own, without a place in any
 * folder, which is gone when the process is. Needs CAP_SYS_ADMIN. */
#ifndef SOURCE_EVENT_SPEC_TRACEFS_MOUNT_H
#define SOURCE_EVENT_SPEC_TRACEFS_MOUNT_H

/* A descriptor of its folder, the same each time, open until the process ends; paths in it are
 * /proc/self/fd/N/… . -errno. */
int tracefs_mount(void);

#endif
