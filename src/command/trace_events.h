/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events cupel trace shows besides system calls. */
#ifndef COMMAND_TRACE_EVENTS_H
#define COMMAND_TRACE_EVENTS_H

#include <stdbool.h>

struct arena;
struct err;
struct option_list;
struct source_options;
struct syscall_choice;

#define TRACE_FAULTS "none all maj min"

enum trace_faults {
	TRACE_FAULTS_NONE,
	TRACE_FAULTS_ALL,
	TRACE_FAULTS_MAJOR,
	TRACE_FAULTS_MINOR,
};

/* Lists of -e: tracepoints ("sched:sched_switch") go to the selectors of *source, all else into the
 * choice of calls. With tracepoints only there are no calls. Words are copied into the arena. */
int trace_events_read(const struct option_list *lists, struct arena *words,
		      struct syscall_choice *calls, struct source_options *source, struct err *err);
void trace_events_add(struct source_options *source, const char *event);
/* Page faults, and how long threads run. */
void trace_events_between(enum trace_faults faults, bool sched, struct source_options *source);

/* Adds the event where the chosen calls begin, for their stacks. */
int trace_events_stacks(const struct syscall_choice *calls, struct arena *words,
			struct source_options *source, struct err *err);

#endif
