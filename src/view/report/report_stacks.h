/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which binaries keep stacks from being whole: why, where, and what to do about it. Pure functions
 * of a profile whose stacks have all their frames. */
#ifndef VIEW_REPORT_STACKS_H
#define VIEW_REPORT_STACKS_H

struct buf;
struct profile;

/* For people. */
void report_stacks_text(const struct profile *profile, struct buf *ret);
/* The same as JSON (the page of cupel-report describes it). */
void report_stacks_json(const struct profile *profile, struct buf *ret);

#endif
