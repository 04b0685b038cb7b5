/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions of how long threads ran, waited for a CPU, or were off it, in the shape of BCC's
 * runqlat and cpudist, which scripts parse, or as JSON. */
#ifndef VIEW_INTERVAL_HISTOGRAM_H
#define VIEW_INTERVAL_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "profile/ledger/ledger.h"

struct buf;
struct latency_map;

enum interval_group {
	INTERVAL_ALL,
	INTERVAL_PROCESS,
	INTERVAL_THREAD,
	INTERVAL_NAME,
	INTERVAL_PID_NAMESPACE,
};

struct interval_histogram {
	uint64_t key; /* pid, tid, a hash of the name, the namespace's number */
	char comm[16];
	uint64_t count[LEDGER_BUCKETS];
	uint64_t total_ns; /* of all of them */
};

/* Counts per group; subtract two of them for the counts in between. */
struct interval_histograms {
	enum interval_group group;
	VEC(struct interval_histogram) item;
	struct map by_key;
};

struct interval_view {
	const char *unit; /* "usecs" */
	const char *what; /* "run queue latency" */
	uint32_t unit_ns; /* not 0: include average and total */
};

void interval_histograms_add(struct interval_histograms *histograms,
			     const struct ledger_thread *thread, enum ledger_interval interval);
/* Adds the counts of another one of the same group. */
void interval_histograms_merge(struct interval_histograms *histograms,
			       const struct interval_histograms *more);
/* Takes away what an earlier reading had. */
void interval_histograms_subtract(struct interval_histograms *histograms,
				  const struct interval_histograms *earlier);
/* All groups as one; rows are powers of two. */
void interval_histograms_map(const struct interval_histograms *histograms, uint64_t time_ns,
			     struct latency_map *map);
void interval_histograms_done(struct interval_histograms *histograms);

/* Groups in order of their numbers or names. */
void interval_histograms_text(const struct interval_histograms *histograms,
			      const struct interval_view *view, struct buf *ret);
void interval_histograms_json(const struct interval_histograms *histograms,
			      const struct interval_view *view, struct buf *ret);

#endif
