/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be probed, as perf prints it: lines with code, variables at a place. */
#ifndef SESSION_PROBE_SHOW_SOURCE_H
#define SESSION_PROBE_SHOW_SOURCE_H

#include <stdbool.h>

struct buf;
struct debug_info;
struct err;

/* "FUNCTION", "FUNCTION:FIRST-LAST", "FUNCTION:FIRST+COUNT" (both relative), "FILE:FIRST-LAST",
 * "FUNCTION@FILE". source: a folder to look for the files in; NULL = none. */
int show_lines(const struct debug_info *info, const char *range, const char *source,
	       struct buf *out, struct err *err);
/* The variables at a place, sorted. */
int show_variables(const struct debug_info *info, const char *place, bool externs, struct buf *out,
		   struct err *err);

#endif
