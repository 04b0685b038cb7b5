/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests whether the share of a frame differs between two sides, by how much, and with what
 * certainty. Pure functions of the sums of each side.
 *
 * One recording per side: a test of two counts, on effective sample sizes, which are smaller than
 * the counts if weights differ or samples come in bursts. Several recordings per side: Welch's t
 * test on the shares of the recordings; samples are never pooled, but what the other functions tell
 * about the variance between recordings counts, too (run_spread.h). */
#ifndef PROFILE_SIGNIFICANCE_H
#define PROFILE_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/run_spread.h"

/* Shares of all weight (unit = weight), or amounts in any unit, which may be more than 1. */
enum share_kind { SHARES, AMOUNTS };

/* Sums of one side for one frame. Added up with plain addition. */
struct share_sums {
	double weight;			 /* of its samples */
	double squares;			 /* of the weights of its samples */
	double block_squares;		 /* of its weight in each block of time */
	double block_cross;		 /* of its weight times all weight, in each block */
	double long_squares, long_cross; /* the same of long blocks */
	double run_shares, run_squares;	 /* of its share of each run */
};

/* Values that all frames of a side share. */
struct side_sums {
	double weight, squares;		    /* of all samples */
	double unit;			    /* the weight that is a share of 1 */
	double block_squares, long_squares; /* of all weight in each block, long block */
	unsigned int blocks, long_blocks;   /* 0 = times are not known */
	unsigned int runs;
	double run_scatter;	/* sum over runs of 1 / effective number of samples */
	struct run_prior prior; /* of variance between runs; the same on both sides */
};

struct share_change {
	double share[2];   /* before, after */
	double samples[2]; /* effective numbers of all samples */
	double distance;   /* distance from "no change" in standard errors; not for exact tests */
	double df;	   /* of Student's t; INFINITY = normal */
	double p;
	double q;      /* false discovery rate; set by the caller, which has all tests */
	double spread; /* variance relative to that of samples drawn one by one; at least 1 */
	enum share_kind kind;
	bool exact; /* p is of an exact test */
	bool runs;  /* from several recordings: the interval is Student's, or the next: */
	double error, least_error; /* of several recordings: as they vary; as single samples do */
};

struct share_change share_change(enum share_kind kind, const struct side_sums side[2],
				 const struct share_sums of[2]);
/* What the runs of both sides tell about the variance of a frame, whether or not it changed. df 0 =
 * nothing. */
struct run_ratio share_run_ratio(enum share_kind kind, const struct side_sums side[2],
				 const struct share_sums of[2]);
/* Interval of after - before at a level: it holds 0 exactly when p > 1 - level. */
void share_change_interval(const struct share_change *change, double p_level, double ret[2]);
/* The smallest share that a frame which is on one side only must have there to be found, at
 * p_level, four times of five. spread: the usual `spread` of its frames. */
double share_detectable(const struct side_sums side[2], double p_level, double spread);
/* The smallest change of a frame which has that share that would be found so. */
double share_detectable_change(const struct side_sums side[2], double share, double p_level,
			       double spread);
/* True if either side has more than one recording. */
bool sides_have_runs(const struct side_sums side[2]);

#endif
