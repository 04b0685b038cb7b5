/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By which factor do pairs of runs differ? Wilcoxon's signed-rank test on the logarithms of their
 * ratios, and the interval and estimate that belong to it (Hodges and Lehmann): exact for any noise
 * that treats both runs of a pair alike, and not moved by single slow runs. */
#ifndef PROFILE_PAIRED_RATIO_H
#define PROFILE_PAIRED_RATIO_H

#include <stddef.h>

#define PAIRED_RATIO_MOST 1000 /* pairs; more are not looked at */

enum ratio_verdict {
	RATIO_LESS,	/* the interval is below 1, and goes beyond the margin */
	RATIO_MORE,	/* above */
	RATIO_SAME,	/* nothing of it is beyond the margin */
	RATIO_UNDECIDED /* it holds 1, and goes beyond the margin */
};

struct paired_ratio {
	/* second / first, with its 95 % interval: 0 to INFINITY if there is none. All are NAN if a
	 * value is 0; the verdict then rests on the order of the values. */
	double ratio, low, high;
	enum ratio_verdict verdict;
};

/* The values are not negative. margin: 0.05 = differences up to 5 % do not matter. */
struct paired_ratio paired_ratio(const double *first, const double *second, size_t pairs,
				 double margin);

#endif
