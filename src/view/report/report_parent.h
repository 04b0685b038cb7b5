/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The "parent" sort key: the first function of a stack, from the leaf up, with a name that matches
 * a regular expression. Matched once per stack node. */
#ifndef VIEW_REPORT_PARENT_H
#define VIEW_REPORT_PARENT_H

#include "profile/profile.h"

struct err;
struct report_parent;

/* pattern NULL = perf's default, system call entries and page faults. */
int report_parent_new(const struct profile *profile, const char *pattern,
		      struct report_parent **ret, struct err *err);
string_id report_parent_of(const struct report_parent *parent, stack_id stack);
void report_parent_free(struct report_parent *parent); /* NULL is fine */

#endif
