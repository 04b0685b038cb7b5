/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that is looked at while it runs: `cupel record -o - | cupel report` in one program.
 * One thread records into a queue of bytes, another reads it event by event into a profile, which
 * is taken whenever somebody wants to see it. So whatever a recording can tell is there. What ended
 * long ago is forgotten, so memory does not grow with time. */
#ifndef SESSION_LIVE_H
#define SESSION_LIVE_H

#include <stdbool.h>

#include "symbol/symbolizer.h"

struct err;
struct live;
struct profile;
struct recording_options;

struct live_options {
	struct symbol_options symbol;
	bool stacks; /* whole ones, else the function on top alone */
};

/* Of a recording that has ended. */
struct live_result {
	char notes[1024]; /* as in struct recording_result */
};

/* Both options are borrowed until the end. SIGINT, SIGTERM and SIGHUP to the process end the
 * recording, too, unless the caller has them blocked and reads them first. */
int live_start(const struct recording_options *record, const struct live_options *options,
	       struct live **ret, struct err *err);
/* Readable when the recording has ended and all of it was read. */
int live_fd(const struct live *live);
/* What came since the last time; the caller's. */
struct profile *live_take(struct live *live);
/* Asks the recording to end; what was sampled still comes, then live_fd() is readable. */
void live_stop(const struct live *live);
/* Waits for the end, and frees. The error is the recording's, or the reader's. */
int live_end(struct live *live, struct live_result *ret, struct err *err);

#endif
