/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the counts of a perf.data, perf's or ours, and adds them up by place. */
#ifndef SESSION_STAT_REPORT_H
#define SESSION_STAT_REPORT_H

#include "profile/counts/counts.h"
#include "session/stat/stat_run.h"

struct err;
struct perf_data;
struct stat_report;

/* by: COUNTS_BY_ALL = as recorded. Calls listener->interval for every interval of a recording with
 * intervals, or fills *ret with the counts of the whole. *ret must be freed in any case. */
int session_stat_report(struct perf_data *data, enum counts_by by,
			const struct stat_listener *listener, struct stat_report **ret,
			struct err *err);
void stat_report_free(struct stat_report *report); /* NULL is fine */

/* Of a recording without intervals: NULL if it has no final round. */
const struct counts *stat_report_counts(const struct stat_report *report);

#endif
