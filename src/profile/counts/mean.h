/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mean and spread of values that arrive one by one (Welford's method). All zero is empty. */
#ifndef PROFILE_MEAN_H
#define PROFILE_MEAN_H

#include <math.h>
#include <stddef.h>

struct mean {
	size_t n;
	double value;	/* the mean */
	double squares; /* of the distances from it, summed */
};

static inline void mean_add(struct mean *mean, double x)
{
	double before = x - mean->value;

	mean->value += before / (double)++mean->n;
	mean->squares += before * (x - mean->value);
}

/* Standard error of the mean; 0 of fewer than two. */
static inline double mean_error(const struct mean *mean)
{
	if (mean->n < 2)
		return 0;
	return sqrt(mean->squares / (double)(mean->n - 1) / (double)mean->n);
}

#endif
