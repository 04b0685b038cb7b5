/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What existed before the first record: the kernel's maps, the target's processes, threads and
 * maps, cgroups, as events at the head (or tail) of a file. */
#ifndef SESSION_RECORD_EXISTING_H
#define SESSION_RECORD_EXISTING_H

#include <stdbool.h>

struct err;
struct record_options;
struct sink;

/* program: the name that options->program is going to have. */
int record_existing(const struct record_options *options, const char *program, struct sink *sink,
		    struct err *err);

#endif
