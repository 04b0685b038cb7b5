/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frame names in folded text, by the rules of stackcollapse-perf.pl, except where these damage
 * names (doc/collapse.md). */
#ifndef FORMAT_FOLD_NAME_H
#define FORMAT_FOLD_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

struct buf;
struct fold_options;

/* Appends the frame's name. `java`: the command is a JVM; drop the leading "L" of class names. */
void fold_frame_name(const struct profile *profile, frame_id frame,
		     const struct fold_options *options, bool java, struct buf *ret);
/* Appends the root frame of a thread: "comm", "comm-PID" or "comm-PID/TID". */
void fold_root_name(const struct profile *profile, thread_id thread,
		    const struct fold_options *options, struct buf *ret);

/* Length of a function's name without its argument list: templates, lambdas, operators, anonymous
 * namespaces and Go methods stay. Writes the shortened name to ret. */
void fold_drop_arguments(const char *name, size_t len, struct buf *ret);

#endif
