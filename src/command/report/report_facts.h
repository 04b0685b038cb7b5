/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What report prints of a recording without looking at any stack: how many records of each type it
 * holds. */
#ifndef COMMAND_REPORT_FACTS_H
#define COMMAND_REPORT_FACTS_H

#include <stdbool.h>

struct buf;
struct err;
struct load_options;
struct recording;
struct report_options;

/* The bytes of all records, as report -D prints them, and the counts. */
int report_dump(struct recording *recording, struct buf *ret, struct err *err);
/* Counts by record type and samples by event, in the layout of perf report --stats. Returns -EINVAL
 * for formats other than perf.data. */
int report_stats(struct recording *recording, struct buf *ret, struct err *err);

/* The table of --total-cycles, of the samples that the filters let through. */
int report_total_cycles(struct recording *recording, const struct load_options *options,
			const struct report_options *view, struct buf *ret, struct err *err);

/* Whether the recording has branches that are not its call stacks. */
int report_find_branches(struct recording *recording, bool *ret, struct err *err);

#endif
