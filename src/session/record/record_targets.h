/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU time of the processes of -p and of the children that they start meanwhile, by the
 * kernel's own account: what samples by threads should stand for. */
#ifndef SESSION_RECORD_TARGETS_H
#define SESSION_RECORD_TARGETS_H

#include <stdint.h>

struct record_targets;

/* pids: as on the command line. */
struct record_targets *record_targets_begin(const char *pids);
/* CPU time since the beginning; 0 = it cannot be known, as one of the processes, or a child that
 * was there for a while before, has ended. NULL is fine. */
uint64_t record_targets_cpu_ns(const struct record_targets *targets);
void record_targets_free(struct record_targets *targets); /* NULL is fine */

#endif
