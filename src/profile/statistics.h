/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics for comparisons: normal and Student quantiles, limits of a share, the test of two
 * counts, Benjamini and Hochberg's procedure. Pure functions. */
#ifndef PROFILE_STATISTICS_H
#define PROFILE_STATISTICS_H

#include <stddef.h>

/* P(|Z| ≥ z). */
double normal_two_sided(double z);
/* The z with P(|Z| ≥ z) = p, for p in (0, 1]; 38 if p is too small for a double. */
double normal_critical(double p);
/* The same of Student's t; df INFINITY is the normal distribution. */
double student_two_sided(double t, double df);
double student_critical(double p, double df);

/* P(F ≥ ratio) for a ratio of two variances with these degrees of freedom. */
double variance_ratio_tail(double ratio, double df_above, double df_below);

/* Wilson's limits for an observed share among n, at critical value z. */
void wilson_limits(double share, double n, double z, double ret[2]);

/* The p value of `in_first` out of `marked` items in the first group, drawn from first + second.
 * Two-sided exact conditional test (Fisher's) with mid-p. */
double two_groups_mid_p(double in_first, double marked, double first, double second);

/* Benjamini and Hochberg: q[i] is the smallest false discovery rate at which test i is selected. q
 * may alias p. Returns the number of tests with q ≤ rate. */
size_t false_discovery_rates(const double *p, size_t count, double rate, double *q);

#endif
