/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the binaries in which stacks end early: the reasons, and how to fix them. Pure functions of
 * a profile with complete frames. */
#ifndef VIEW_REPORT_STACKS_H
#define VIEW_REPORT_STACKS_H

struct buf;
struct profile;

/* For people. */
void report_stacks_text(const struct profile *profile, struct buf *ret);
/* The same as JSON (the page of cupel-report describes it). */
void report_stacks_json(const struct profile *profile, struct buf *ret);

#endif
