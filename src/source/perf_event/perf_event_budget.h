/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeping the rate of a source without BPF programs to its budget, while it runs. Samples are
 * counted on their way; where the rate has changed, they get the period that they stand for. */
#ifndef SOURCE_PERF_EVENT_BUDGET_H
#define SOURCE_PERF_EVENT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "event/sink.h"

struct err;
struct perf_selected;
struct perf_source;

/* How many times slower than requested. */
struct perf_rate {
	double opened, before, now;
	bool changed; /* since the events were opened */
};

/* What samples took so far. */
struct perf_used {
	uint64_t at_ns, samples, bytes, threads_ns;
};

/* The sink to deliver to, so that the samples for `to` are counted. */
struct sink *perf_source_counter(struct perf_source *source, struct sink *to);
/* Whether its rate may be lowered; else each hit counts. */
bool perf_source_is_slowed(const struct perf_selected *selected);
/* Lowers or raises the rate, when it is time to look. */
int perf_source_keep_to_budget(struct perf_source *source, struct err *err);

#endif
