/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures that follow from counts: instructions per cycle, miss rates, rates per second. A figure
 * is a row of the table in count_metric.c. */
#ifndef PROFILE_COUNT_METRIC_H
#define PROFILE_COUNT_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/counts/counts.h"

#define COUNT_METRICS_MAX 4

struct count_metric {
	double value;
	const char *format; /* of value, for text: "%8.3f" */
	char unit[48];	    /* "CPUs utilized" */
};

/* A figure that divides one count by another, as in perf_event_attr. */
struct count_ratio {
	const char *unit; /* "insn per cycle" */
	uint32_t of_type, over_type;
	uint64_t of_config, over_config;
};

/* The nth ratio; false past the end. */
bool count_ratio_at(size_t n, struct count_ratio *ret);

/* Those that are shown beside this count. */
size_t count_metrics(const struct counts *counts, size_t event, size_t place,
		     struct count_metric ret[COUNT_METRICS_MAX]);

#endif
