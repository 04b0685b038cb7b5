/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two programs, run in turns: first both once to warm up, then pairs in random order. */
#ifndef SESSION_STAT_COMPARE_H
#define SESSION_STAT_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "session/stat/stat_run.h"

struct err;

/* One figure in all runs. */
struct stat_figure {
	const char *name, *unit;
	bool event;	/* one of the events, not a time of the program */
	bool missing;	/* it cannot be counted here */
	double *run[2]; /* [pair] */
};

struct stat_compare_result {
	VEC(struct stat_figure) figure;
	size_t pairs;	  /* that are complete */
	int interrupted;  /* by this signal; 0 = not */
	char notes[1024]; /* what cannot be counted here */
	struct arena arena;
};

/* commands: words of each side. A program that fails ends it with an error. *ret must be freed in
 * any case. */
int session_compare(const struct stat_options *options, char **const commands[2],
		    struct stat_compare_result *ret, struct err *err);
void stat_compare_result_done(struct stat_compare_result *result);

#endif
