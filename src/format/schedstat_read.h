/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of /proc/schedstat. Several readings may stand one after the other, which is how `sched
 * stats record` keeps them. */
#ifndef FORMAT_SCHEDSTAT_READ_H
#define FORMAT_SCHEDSTAT_READ_H

#include <stddef.h>

struct err;
struct schedstat;

/* The next reading in *text, which moves past it. *ret owns copies. -ENODATA: none is left. */
int schedstat_read(const char **text, const char *end, struct schedstat *ret, struct err *err);

#endif
