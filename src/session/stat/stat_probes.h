/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of probes among those that are counted: a BPF program counts them for each CPU, exactly.
 */
#ifndef SESSION_STAT_STAT_PROBES_H
#define SESSION_STAT_STAT_PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "session/probe/probe_event_set.h"
#include "session/probe/tracefs_events.h"

struct counter_reading;
struct counter_set;
struct err;
struct event_list;
struct event_spec;
struct source;
struct source_options;

struct stat_probes {
	struct probe_event_set set;
	struct tracefs_events tracefs;
	VEC(uint32_t) spec;    /* by the number of a place: the event's index in the list */
	struct source *source; /* of a run; NULL = there are no probes */
	uint64_t since_ns;     /* it is on; 0 = off */
	uint64_t on_ns;	       /* before */
};

/* Looks them up. A glob becomes one event for each function. */
int stat_probes_place(struct stat_probes *probes, struct event_list *list,
		      const struct source_options *options, struct err *err);
/* For a run, off. What was opened before is closed. */
int stat_probes_open(struct stat_probes *probes, const struct source_options *options,
		     struct err *err);
/* Returns on. */
bool stat_probes_enable(struct stat_probes *probes, bool on);
/* For good: the program runs on without them. What was counted can still be read. */
void stat_probes_leave(struct stat_probes *probes);
/* The event's counts, by slot: those of a CPU in the first of its slots, those of all CPUs if it
 * has no slots. */
void stat_probes_read(const struct stat_probes *probes, const struct counter_set *set,
		      const struct event_spec *spec, struct counter_reading *ret);
/* --tracefs: changes the selector of options to the names of what was made there. */
int stat_probes_make(struct stat_probes *probes, struct source_options *options, struct err *err);
void stat_probes_done(struct stat_probes *probes);

#endif
