/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the file descriptors of traced processes are: by the calls that open, copy and close them.
 * Those that were open before are as /proc had them when tracing began. A descriptor has no name
 * rather than one that may be wrong. */
#ifndef SESSION_TRACE_FILES_H
#define SESSION_TRACE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strtab.h"

struct buf;

struct trace_files {
	struct map name; /* by process and descriptor: string id + 1, with escapes; 0 = closed */
	struct map since_ns; /* likewise: when it got the name */
	struct map unproved; /* processes with names from before tracing began */
	struct map programs; /* how many programs a process has run: names are those of the last */
	struct map end;	     /* of a process: above its highest descriptor with a name */
	struct strtab *strings;
	uint64_t begun_ns, returned_ns; /* the call that is being followed */
	bool sees_all; /* all calls are traced, so names stay right until a call changes them */
};

void trace_files_init(struct trace_files *files, bool sees_all);
void trace_files_done(struct trace_files *files);
/* path NULL = not known. */
void trace_files_open(struct trace_files *files, uint32_t pid, int fd, const char *path);
/* A new one that has no path. */
void trace_files_make(struct trace_files *files, uint32_t pid, int fd, const char *kind);
/* A process that runs already: before it is traced, and with its first call. Names that /proc has
 * both times are right. */
void trace_files_meet(struct trace_files *files, uint32_t pid);
void trace_files_prove(struct trace_files *files, uint32_t pid);
/* A program that we start: it has our standard files. */
void trace_files_start(struct trace_files *files, uint32_t pid);
/* The child has its parent's, but for those that it has changed already. */
void trace_files_fork(struct trace_files *files, uint32_t parent, uint32_t child);
void trace_files_copy(struct trace_files *files, uint32_t pid, int from, int to);
/* All of a process but those below `kept`: it runs another program or ends, or calls are missing.
 */
void trace_files_forget(struct trace_files *files, uint32_t pid, unsigned kept);
void trace_files_close(struct trace_files *files, uint32_t pid, int fd);
/* Appends "</path>", or nothing. */
void trace_files_put(struct trace_files *files, uint32_t pid, int fd, struct buf *out);

#endif
