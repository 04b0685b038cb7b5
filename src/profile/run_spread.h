/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much more shares vary from run to run than if samples were drawn one by one, learnt from all
 * functions together. A few runs tell little about one function; if its variance is like that of
 * the others, theirs counts too. Empirical Bayes as of limma (Smyth 2004). Pure functions. */
#ifndef PROFILE_RUN_SPREAD_H
#define PROFILE_RUN_SPREAD_H

#include <stddef.h>

/* The variance of a function, relative to that of samples drawn one by one. */
struct run_ratio {
	double ratio, df;
	double size; /* that variance, in samples of a run: samples × (1 - share) */
};

/* What is expected of a function: a ratio of constant + relative × size, as sure as if df more
 * values had been seen. df 0 = nothing is known. */
struct run_prior {
	double constant, relative, df;
};

/* Of functions that share no samples. The list is sorted, the largest first. */
struct run_prior run_prior_fit(struct run_ratio *list, size_t count);
/* The expected ratio, and that of a function after its own was seen; *df is set, too. A function
 * that clearly varies more than the others is taken for itself. */
double run_prior_ratio(const struct run_prior *prior, const struct run_ratio *own, double *ret_df);

#endif
