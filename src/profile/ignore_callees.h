/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions without their callees: the cost of callees becomes the cost of the function, so that
 * all its callers are in one place (perf report --ignore-callees). */
#ifndef PROFILE_IGNORE_CALLEES_H
#define PROFILE_IGNORE_CALLEES_H

struct err;
struct profile;

/* Stacks end at the outermost function that the regular expression matches. */
int profile_ignore_callees(struct profile *profile, const char *pattern, struct err *err);

#endif
