/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of functions' shares in a store, service by service (profile/change/change_causes.h),
 * with what else happened then: labels `build` and `version` that were first seen then,
 * and marks (store/mark.h). One rate of false discoveries holds for all services. */
#ifndef SESSION_STORE_STORE_CHANGES_H
#define SESSION_STORE_STORE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "profile/change/change_causes.h"

struct err;
struct marks;

struct store_changes_question {
	const char *location, *selector;  /* NULL = everything */
	uint64_t from_ns, to_ns, step_ns; /* step_ns 0 = what suits the range */
	const char *by;			  /* label; its values are tested one by one */
	const char *event; /* NULL = of each value time on the CPU, else the most frequent one */
	uint32_t viewer;
	double least_samples; /* of a column */
	struct change_limits limits;
	const struct marks *marks;
};

/* A label or a mark. */
struct store_change_note {
	uint64_t time_ns;
	const char *text;
};

struct store_change {
	const char *service, *event, *function, *cause; /* cause: NULL = none */
	const char *selector;				/* of the service's samples */
	uint64_t time_ns;				/* where the first column after begins */
	uint64_t before_ns[2], after_ns[2];		/* what was compared */
	double before, after, error, df; /* shares, and the standard error of their difference */
	double scaled;	/* the share after, if what did the same as before kept its share */
	double rate[2]; /* weight in a second, before and after */
	const char *unit;
	double p, q;
	enum change_fate fate;
	VEC(struct store_change_note) notes; /* by time */
};

struct store_changes {
	struct arena arena;	       /* of all strings */
	VEC(struct store_change) item; /* the largest difference first; fates mixed */
	uint64_t from_ns, to_ns, step_ns;
	size_t services, short_services; /* all; of those with too few columns to tell */
	size_t tests, dropped;		 /* tests made; columns with too few samples */
	uint64_t damaged;		 /* blocks of the store that cannot be read */
	size_t fate[CHANGE_FATE_COUNT];
};

int store_changes_find(const struct store_changes_question *question, struct store_changes *ret,
		       struct err *err);
void store_changes_done(struct store_changes *changes);

#endif
