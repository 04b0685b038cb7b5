/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file behind a mapping of a process: that very file, whatever its path leads to by now.
 * Regular files only; no path leads out of the root of its process. */
#ifndef PROC_MAPPED_FILE_H
#define PROC_MAPPED_FILE_H

#include <stdbool.h>

struct event_mmap;
struct stat;

/* Opens it to read, -1 when it is out of reach. process is a descriptor of /proc/PID, -1 when the
 * process has ended. A mapping without an inode has a build id instead, which is up to the caller.
 */
int mapped_file_open(int process, const struct event_mmap *map);
/* The path of the mapping leads there, as seen from here. */
bool mapped_file_is_at_path(const struct event_mmap *map, struct stat *ret);

#endif
