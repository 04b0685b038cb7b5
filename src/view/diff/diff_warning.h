/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What makes two sides of a comparison hard to compare: other events, periods, builds, machines,
 * durations, lost samples. One line each. */
#ifndef VIEW_DIFF_WARNING_H
#define VIEW_DIFF_WARNING_H

#include <stdbool.h>

struct buf;
struct diff_input;

/* event: the one that is compared, NULL = the first. */
void diff_warnings(const struct diff_input *input, const char *event, struct buf *ret);

/* Whether the main command of each side is unknown to the other: two versions of a program under
 * two names. Their code can only be compared without root frames for commands; says so. */
bool diff_warn_programs(const struct diff_input *input, struct buf *ret);

#endif
