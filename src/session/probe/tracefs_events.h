/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of probes that are made in tracefs (--tracefs): each becomes tracepoints there under the
 * name that perf would give it, and the events of -e name those instead. */
#ifndef SESSION_PROBE_TRACEFS_EVENTS_H
#define SESSION_PROBE_TRACEFS_EVENTS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "session/probe/probe_event_set.h"

struct err;
struct source_options;
struct tracefs_probes;

struct tracefs_events {
	const char *root;	    /* of the file system with tracefs; NULL = live */
	struct probe_event_set set; /* its notes: what was left out */
	VEC(const char *) name;	    /* "GROUP:EVENT" of each that was made */
	/* private */
	struct tracefs_probes *probes;
	struct arena arena;
};

/* Makes those among the events of options, and changes its selector to the names of what was made;
 * the strings of those are in the arena. Without any it does nothing. To be closed also after
 * failures. */
int tracefs_events_make(struct tracefs_events *events, struct source_options *options,
			struct err *err);
/* Removes them. False: some are in use by another program, and go when it ends. */
bool tracefs_events_close(struct tracefs_events *events);

#endif
