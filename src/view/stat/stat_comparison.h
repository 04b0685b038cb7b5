/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two programs beside each other: what each measured, the ratio with its interval, a verdict. */
#ifndef VIEW_STAT_COMPARISON_H
#define VIEW_STAT_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/counts/paired_ratio.h"

struct buf;

struct stat_compared {
	const char *name, *unit;
	double median[2];
	struct paired_ratio ratio; /* second / first */
	bool gate;		   /* the exit status depends on it */
	bool missing;		   /* it cannot be counted here */
	bool unmeasured;	   /* no pair of runs is complete: no figure is set */
};

struct stat_comparison {
	const char *command[2];
	const struct stat_compared *row;
	size_t rows, pairs;
};

/* "better", "worse", "no difference", "not enough runs" (less is better), "not supported", "not
 * measured". */
const char *stat_verdict(const struct stat_compared *row);

void stat_comparison_text(const struct stat_comparison *comparison, struct buf *ret);
/* Fields: name, unit, median of each, ratio, low, high, verdict, runs. */
void stat_comparison_csv(const struct stat_comparison *comparison, const char *separator,
			 struct buf *ret);
/* An object a line. */
void stat_comparison_json(const struct stat_comparison *comparison, struct buf *ret);

#endif
