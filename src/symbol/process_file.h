/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that a process leaves under its PID in a world-writable folder. Anybody can put one there,
 * so only regular files of root and of the process's user are taken: the one that was remembered
 * (symbol_options.users), that of the running process, or else this user. */
#ifndef SYMBOL_PROCESS_FILE_H
#define SYMBOL_PROCESS_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct symbol_options;

/* Returns an open descriptor, or -errno with err set (-ENOENT: not found). Looks for the path under
 * the process's root, then on this machine; with symfs, only there. `options` may be NULL. */
int process_file_open(const char *path, uint32_t pid, const struct symbol_options *options,
		      struct err *err);
/* The same for "PREFIX PID SUFFIX" ("/tmp/perf-", ".map"), where the PID under the process's root
 * is the one that it has in its own namespace. */
int process_file_open_numbered(const char *const prefix_suffix[2], uint32_t pid,
			       const struct symbol_options *options, struct err *err);
/* The user of a running process. */
bool process_user(uint32_t pid, uid_t *ret);

#endif
