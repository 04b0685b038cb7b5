/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares two sides: one recording before and one after, or a set of runs each. The stacks of all
 * inputs are merged by name into one tree; every path, and every function over all its paths, has a
 * weight on both sides and a verdict on the change.
 *
 * Frames that always occur together (a chain without branches) are tested once. Tests of paths form
 * one family for the false discovery rate, tests of functions another. Intervals have the level at
 * which that family was decided (Benjamini, Yekutieli 2005), so an interval excludes 0 exactly if
 * the change is significant. */
#ifndef PROFILE_DIFF_H
#define PROFILE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"
#include "profile/profile.h"
#include "profile/significance.h"

struct err;

enum diff_side { DIFF_BEFORE, DIFF_AFTER };

enum diff_measure { DIFF_MEASURE_AUTO, DIFF_MEASURE_WEIGHT, DIFF_MEASURE_SAMPLES };

struct diff_input {
	const struct profile *const *runs[2];
	size_t count[2];
};

struct diff_options {
	const char *event; /* NULL = the first that has samples */
	enum diff_measure measure;
	enum share_kind kind; /* AMOUNTS: in units of the weight before (of a run, on average) */
	bool no_roots;	      /* no root frames for commands */
	bool reverse;	      /* stacks leaf first */
	double rate;	      /* false discovery rate; 0 = 0.05 */
	double weight_per_sample; /* 0: from the inputs (sample_weight.h) */
};

/* What of a path or function happened on the two sides. */
struct diff_amount {
	uint64_t weight[2];
	struct share_change change;
};

struct diff_node {
	uint32_t parent, label, depth;	    /* node 0 is the root of all */
	uint32_t first_child, next_sibling; /* 0 = none; by name */
	struct diff_amount inclusive, self;
};

struct diff_label {
	string_id name;
	enum frame_kind kind;
	bool command, inlined; /* command: a root frame */
	string_id module;      /* path in diff->names; empty = unknown */
	struct diff_amount inclusive, self;
};

/* Tests that were decided together. */
struct diff_family {
	size_t tests, found;
	bool undecided; /* see struct diff: shares only, no verdicts */
	double p_level; /* significant: p ≤ p_level */
};

struct diff_total {
	uint64_t samples, weight;
	struct side_sums sums;
};

struct diff {
	struct strtab *names;
	VEC(struct diff_node) nodes; /* parents before their children */
	VEC(struct diff_label) labels;
	string_id event, unit;
	uint32_t scale; /* weights are in 1/scale of the unit */
	uint32_t max_depth;
	bool by_samples;
	bool uncounted;	     /* how many samples there are is unknown: no verdicts */
	string_id undecided; /* why there are no verdicts; empty if there are */
	enum share_kind kind;
	double rate;
	struct diff_total total[2];
	struct diff_family paths, functions;
	double detectable_share; /* smallest share of a frame coming or going that would be found */
	double spread;		 /* typical of frames: 1 = as samples drawn one by one */
};

/* Why there are no verdicts if diff.uncounted is set. */
#define DIFF_UNCOUNTED                                                              \
	"an input has weights but does not say how many samples they are (compare " \
	"recordings, fold with collapse --header, or give --sample-weight)"

/* The profiles may have times (PROFILE_KEEP_TIME); then bursts are taken into account. */
int diff_build(const struct diff_input *input, const struct diff_options *options, struct diff *ret,
	       struct err *err);
/* One profile in the same form: its weights as `after`, no `before`, no tests. Also returns the
 * node of each sample by index, UINT32_MAX for other events; the caller frees it. */
int diff_of_one(const struct profile *profile, const struct diff_options *options, struct diff *ret,
		uint32_t **ret_node, struct err *err);
void diff_done(struct diff *diff);

enum diff_verdict { DIFF_NONE, DIFF_GREW, DIFF_SHRANK, DIFF_NEW, DIFF_GONE };

bool diff_is_significant(const struct diff_family *family, const struct diff_amount *amount);
void diff_interval(const struct diff_family *family, const struct diff_amount *amount,
		   double ret[2]);
/* DIFF_NONE unless significant. */
enum diff_verdict diff_verdict(const struct diff_family *family, const struct diff_amount *amount);
/* Difference of the shares, after less before. */
double diff_delta(const struct diff_amount *amount);

#endif
