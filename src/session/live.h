/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that is looked at while it runs: `cupel record -o - | cupel report` in one program.
 * The recorder puts its bytes into a queue; a child in the sandbox (base/confined.h) reads it event
 * by event into a profile, which can be taken at any time. It has everything that a recording has.
 * What ended long ago is forgotten, so memory does not grow with time. */
#ifndef SESSION_LIVE_H
#define SESSION_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/symbolizer.h"

struct err;
struct live;
struct profile;
struct recording_options;
struct recording_result;
struct run;

struct live_options {
	struct symbol_options symbol;
	bool stacks;  /* whole ones, else the function on top alone */
	bool inlined; /* with inlined functions */
	/* Samples keep their payload, as PROFILE_ADDR_IS_VALUES has it: the number of words, and
	 * they. */
	bool payloads;
	bool addresses; /* each address is a frame of its own, with its offset */
	/* Profiles taken last of which the records are kept for live_save(). */
	size_t moments;
	size_t kept_bytes; /* for their records; 0 = 64 MiB */
	/* Frames of files with a build id are places without names, with their module's build id:
	 * they are named later, if at all. */
	bool places;
	bool times;	   /* samples keep theirs */
	unsigned sweep_ms; /* the longest that samples stay in the rings; 0 = 200 */
	/* Each process with a sample, once for each profile that is taken, and each that was forked
	 * (parent 0: that runs another program now), while it most likely lives; on a thread.
	 * NULL = nobody wants to know. */
	void (*seen)(void *context, uint32_t pid, const char *comm);
	void (*forked)(void *context, uint32_t pid, uint32_t parent);
	const char *alarm; /* an event with samples that are reported, and are no profile */
	void (*alarmed)(void *context, uint32_t pid, const char *comm);
	void *context;
};

/* Starts the reader, before there are threads. The options are borrowed until live_free(). */
int live_start(const struct live_options *options, struct live **ret, struct err *err);
/* Records, once, as session_record() does (argv: the program, NULL = none), and returns when all of
 * it has been read. What looks at it meanwhile is in the recorder's loop: recording_options.attend.
 * The error is the recording's, or the reader's; *ret is to be freed in any case. */
int live_record(struct live *live, const struct recording_options *record, char **argv,
		struct recording_result *ret, struct err *err);
/* For recording_options.attend, with its run: when it returns, all that came before is in the
 * profile. */
int live_settle(struct live *live, struct run *run, struct err *err);
/* What came since the last time; the caller's. */
struct profile *live_take(struct live *live);
/* Between two profiles: what came until now may be saved. The oldest moment goes. */
void live_end_moment(struct live *live);
/* Forgets what came since the last time, and the records that are kept. */
void live_clear(struct live *live);
/* While it records: writes the samples of the last profiles to an empty file, as a recording.
 * *ret_dropped are samples that memory had no room for. */
int live_save(struct live *live, int fd, uint64_t *ret_dropped, struct err *err);
void live_free(struct live *live); /* NULL is fine */

#endif
