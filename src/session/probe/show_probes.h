/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is there to probe with, as perf prints it: functions of a program, and probes that are
 * defined. */
#ifndef SESSION_PROBE_SHOW_PROBES_H
#define SESSION_PROBE_SHOW_PROBES_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;

/* The functions that can be probed, one a line, sorted. filter: globs with `!`, `&` and `|`; NULL =
 * perf's own, "!_* & !*@plt". */
int show_functions(const char *binary, const char *filter, struct buf *out, struct err *err);
/* In show_functions.c. */
bool probe_filter_matches(const char *filter, const char *name);

/* The kernel's persistent probes, and the definitions of the user, marked [cupel]; with what is
 * wrong with them. glob: of "GROUP:EVENT"; NULL = all. root: of the file system, "" = live. */
int show_probes(const char *glob, const char *root, struct buf *out, struct err *err);
/* Removes those that match: definitions, and persistent ones. Appends "Removed event: NAME" lines.
 * -ENOENT if there are none. */
int remove_probes(const char *glob, const char *root, struct buf *out, struct err *err);

#endif
