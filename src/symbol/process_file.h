/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that a process leaves under its PID in a world-writable folder. Anybody can put one there,
 * so only regular files of root, of this user or of the process's user are taken. */
#ifndef SYMBOL_PROCESS_FILE_H
#define SYMBOL_PROCESS_FILE_H

#include <stdint.h>

struct err;

struct process_file {
	const char *prefix, *suffix; /* "/tmp/perf-" and ".map" around the PID */
};

/* An open descriptor, or -errno with err set (-ENOENT: there is none). Looks under the process's
 * root with the PID that it has in its own namespace, then here (or under symfs). */
int process_file_open(const struct process_file *file, uint32_t pid, const char *symfs,
		      struct err *err);

#endif
