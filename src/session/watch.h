/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of one source, for tools that show its data. It opens the source, watches until the end,
 * which is also that of the last target, and closes it. */
#ifndef SESSION_WATCH_H
#define SESSION_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "session/run.h"
#include "source/options.h"

struct err;
struct sink;

struct watch {
	struct run run;
	const char *source; /* its name */
	char **argv;	    /* a program to run meanwhile; NULL = none */
	struct source_options options;
	struct sink *sink;
	uint64_t duration_ns; /* 0 = no limit */
	/* Between snapshots of the source; 0 = none but what it delivers at its end. */
	uint64_t interval_ns;
	run_call opened; /* before it starts; with the context of the run, NULL = nothing */
	run_call looked; /* a snapshot was delivered, or all after the end; NULL = nothing */
	run_call woken;	 /* as in struct run */
	void *context;
	uint64_t lost;	  /* by the source's own count */
	char notes[1024]; /* of the source */
};

/* True during a run: what the source delivers is not the last. */
bool watch_goes_on(const struct watch *watch);
int watch_source(struct watch *watch, struct err *err);

#endif
