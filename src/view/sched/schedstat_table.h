/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's counts about its scheduler as tables, laid out as `perf sched stats` does. */
#ifndef VIEW_SCHEDSTAT_TABLE_H
#define VIEW_SCHEDSTAT_TABLE_H

struct buf;
struct schedstat;

/* What happened between two readings: the mean of all CPUs, then each. */
void schedstat_report(const struct schedstat *between, struct buf *ret);
/* Two of them side by side; CPUs and domains that are in both. */
void schedstat_compare(const struct schedstat *first, const struct schedstat *second,
		       struct buf *ret);

#endif
