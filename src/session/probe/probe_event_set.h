/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of probes among those of -e: finds their places, for the source "probe_events". */
#ifndef SESSION_PROBE_PROBE_EVENT_SET_H
#define SESSION_PROBE_PROBE_EVENT_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "session/probe/probe_set.h"
#include "source/probe/probe_event_choice.h"

struct err;
struct source_options;

struct probe_event_set {
	struct probe_events choice; /* events is 0 if there are no probes */
	struct buf notes;	    /* what was left out, a line each */
	/* private */
	VEC(struct probe_set *) sets;
	VEC(uint32_t) event;
	VEC(const char *) format;
	VEC(struct probe_event_values) values;
	VEC(struct fetch_program) programs;
	VEC(const char *) tracefs; /* by place: what is fetched, in its words */
	bool fetches, for_tracefs;
	struct arena arena;
};

/* The set must be freed also after failures. */
int probe_event_set_find(struct probe_event_set *set, const struct source_options *options,
			 struct err *err);
void probe_event_set_done(struct probe_event_set *set);

#endif
