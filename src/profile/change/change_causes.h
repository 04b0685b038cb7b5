/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which changes of a service's functions over time are worth a message. Each function's share, with
 * what it calls, is tested for change points; then those are set apart that went away, that are
 * small, that are only the other side of one (a function that takes more leaves less of the whole
 * to all others, one that takes less leaves them more), that follow from another function's (its
 * callers and callees), and those where the cost only moved below one caller. Pure functions of the
 * series.
 *
 * Shares after a change are scaled, so that code that did the same as before has the same share as
 * before (change_scale.h). One with the same absolute cost as before is never found. */
#ifndef PROFILE_CHANGE_CHANGE_CAUSES_H
#define PROFILE_CHANGE_CHANGE_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/change/change_point.h"

struct share_series;

/* X(ID, what the summary says of so many) */
#define CHANGE_FATES(X)                                                    \
	X(FOUND, "found")                                                  \
	X(CHANCE, "may be chance")                                         \
	X(GONE, "went away again")                                         \
	X(SMALL, "too small")                                              \
	X(SPREAD, "only the rest of a whole in which another one changed") \
	X(FOLLOWS, "callers and callees of those found")                   \
	X(MOVED, "cost that moved between functions of one caller")

enum change_fate {
#define X(id, text) CHANGE_##id,
	CHANGE_FATES(X)
#undef X
		CHANGE_FATE_COUNT,
};

const char *change_fate_text(enum change_fate fate);

struct change_limits {
	double rate;   /* of false discoveries among what is found */
	double share;  /* least share of a function, before or after */
	double change; /* least change, of the share before: 0.05 is 5 % of it */
	size_t side;   /* columns that a change has to last */
};

struct change {
	const char *function; /* borrowed from the profile */
	uint32_t number;      /* among the series' functions */
	struct change_point point;
	double q;	  /* of all tests; set by the caller before changes_judge() */
	double share[2];  /* before; after, scaled as above */
	double scale;	  /* the share after was divided by it */
	double rate[2];	  /* weight in a column, before and after */
	size_t before[2]; /* columns in time that were compared: [from, to) */
	size_t after[2];
	enum change_fate fate;
	const char *cause; /* what it follows, or below which caller cost moved; NULL = none */
};

struct changes {
	VEC(struct change) item;
	size_t tests; /* made, also those that found nothing */
	size_t season;
};

/* Columns of a day or of a week, if the series is long enough to know one; else 0. */
size_t changes_season(const struct share_series *series);
void changes_test(const struct share_series *series, const struct change_limits *limits,
		  struct changes *ret);
/* Decides about each change's fate. */
void changes_judge(const struct share_series *series, const struct change_limits *limits,
		   struct changes *changes);
void changes_done(struct changes *changes);

#endif
