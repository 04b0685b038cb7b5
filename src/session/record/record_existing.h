/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What existed before the first record: the kernel's maps, the target's processes, threads and
 * maps, cgroups, as events at the head (or tail) of a file. */
#ifndef SESSION_RECORD_EXISTING_H
#define SESSION_RECORD_EXISTING_H

#include <stdbool.h>

struct err;
struct recording_options;
struct sink;

/* At the start. program: the future name of options->program; NULL: none. */
int record_existing_start(const struct recording_options *options, const char *program,
			  struct sink *sink, struct err *err);
/* While the recording runs: reports all processes (to tasks), because there may be new children
 * that the user's list does not contain. */
int record_existing_later(const struct recording_options *options, struct sink *sink,
			  struct sink *tasks, struct err *err);
/* Whether files have processes from before their first record. */
bool record_existing_wants_tasks(const struct recording_options *options);

#endif
