/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the text of /proc/schedstat, or several readings in sequence as `sched stats record`
 * stores them. */
#ifndef FORMAT_SCHEDSTAT_READ_H
#define FORMAT_SCHEDSTAT_READ_H

#include <stddef.h>

struct err;
struct schedstat;

/* Reads the next reading of *text and advances it. *ret owns copies. Returns -ENODATA at the
 * end. */
int schedstat_read(const char **text, const char *end, struct schedstat *ret, struct err *err);

#endif
