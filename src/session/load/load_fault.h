/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page faults in recordings: each gets a frame on top of its stack that says what it was for, where
 * samples have the address (perf record -d, source_options.faults). */
#ifndef SESSION_LOAD_FAULT_H
#define SESSION_LOAD_FAULT_H

#include <stdbool.h>

/* How long major faults took, from the access to the page. */
#define FAULT_WAIT_EVENT "major-fault-wait"

struct event_set;
struct load_options;
struct profile;

/* Whether that is asked for and possible; settles the options then. */
bool load_fault_begin(const struct event_set *events, struct load_options *options);
unsigned load_fault_keeps(void); /* bits of enum profile_keep */
/* At the end; `keep` is what the samples keep then. waits: adds FAULT_WAIT_EVENT. */
void load_fault_finish(struct profile *profile, bool waits, unsigned keep);

#endif
