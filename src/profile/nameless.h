/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module with most missing symbols in a profile, the reason, and what to do. */
#ifndef PROFILE_NAMELESS_H
#define PROFILE_NAMELESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

struct nameless {
	uint32_t module;	    /* in profile->modules */
	const char *path, *problem; /* borrowed from the profile */
	const char *advice;	    /* the next command or option */
	double share;		    /* of all frames, each counted once for each sample */
};

/* False when no module with a known problem lacks the names of 1 % of the frames. */
bool nameless_find(const struct profile *profile, struct nameless *ret);
/* The modules with frames without names, most first, at most `max`, also if the reason is not known
 * (problem ""). Returns how many. */
size_t nameless_list(const struct profile *profile, struct nameless *ret, size_t max);

#endif
