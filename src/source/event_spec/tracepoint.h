/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints as tracefs describes them: ids, names, and the TRACING_DATA blob that makes a
 * perf.data file with tracepoint samples self-describing. Looks in /sys/kernel/tracing, then
 * /sys/kernel/debug/tracing; where it is mounted at neither, root has a mount of the process alone
 * (tracefs_mount.h). */
#ifndef SOURCE_TRACEPOINT_H
#define SOURCE_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct err;
struct event_list;
struct event_spec;
struct name_list;

/* How the path begins that has no place in the file system. */
#define TRACEFS_OWN "/proc/self/fd/"

/* The tracefs folder, below `root` ("" = live). -ENOENT with a hint (the mount command) when there
 * is none, -EACCES with a hint when it cannot be read. *ret lives in the arena. */
int tracefs_find(const char *root, struct arena *arena, const char **ret, struct err *err);
/* attr.config of one tracepoint. */
int tracepoint_id(const char *tracefs, const char *system, const char *name, uint64_t *ret,
		  struct err *err);
/* Sets what its format and its place say, of a spec with its names: whether a user made it of a
 * probe, and, if that is in a program, that it has no part in the kernel. */
void tracepoint_look(const char *tracefs, struct event_spec *spec);
/* The reverse: "system:name" of an id, in the arena; NULL if unknown. */
const char *tracepoint_of_id(const char *tracefs, uint64_t id, struct arena *arena);
/* Appends the "system:name" strings that match a pattern of that form, both parts possibly globs;
 * sorted, in the arena. */
int tracepoint_match(const char *tracefs, const char *pattern, struct arena *arena,
		     struct name_list *list, struct err *err);
/* Appends the names of all systems, sorted. -errno. */
int tracepoint_systems(const char *tracefs, struct arena *arena, struct name_list *list);
/* The payload of the TRACING_DATA feature for all tracepoints in the list: for
 * perf_data_facts.tracing_data. Appends nothing when the list has no tracepoint. */
int tracing_data_collect(const struct event_list *list, const char *root, struct buf *ret,
			 struct err *err);

#endif
