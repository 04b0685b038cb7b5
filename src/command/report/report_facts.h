/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about a recording that report prints without looking at any stack: its header and how many
 * records of each type it holds. */
#ifndef COMMAND_REPORT_FACTS_H
#define COMMAND_REPORT_FACTS_H

#include <stdbool.h>

struct buf;
struct err;

/* path NULL = "perf.data". Only perf.data has these facts: anything else is -EINVAL. */
int report_header(const char *path, bool full, struct buf *ret, struct err *err);
/* Counts by record type and samples by event, in the layout of perf report --stats. */
int report_stats(const char *path, struct buf *ret, struct err *err);

#endif
