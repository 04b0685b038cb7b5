/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures that follow from counts: instructions per cycle, miss rates, rates per second. A figure
 * is a row of the table in count_metric.c. */
#ifndef PROFILE_COUNT_METRIC_H
#define PROFILE_COUNT_METRIC_H

#include <stddef.h>

#include "profile/counts/counts.h"

#define COUNT_METRICS_MAX 4

struct count_metric {
	double value;
	const char *format; /* of value, for text: "%8.3f" */
	char unit[48];	    /* "CPUs utilized" */
};

/* Those that are shown beside this count. */
size_t count_metrics(const struct counts *counts, size_t event, size_t place,
		     struct count_metric ret[COUNT_METRICS_MAX]);

#endif
