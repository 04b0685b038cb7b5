/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches waits for locks, into a profile in memory. */
#ifndef COMMAND_LOCK_LOCK_LIVE_H
#define COMMAND_LOCK_LOCK_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/record/recorder.h"
#include "session/run.h"
#include "source/lock_choice.h"

struct err;
struct heap_choice;
struct live;
struct profile;

struct lock_live {
	struct lock_choice choice;
	const char *pids, *tids, *cpus;
	const struct heap_choice *heap; /* blocks of memory, too; NULL = none */
	uint64_t duration_ns;
	bool everybody;	     /* all threads, while a program runs */
	bool addresses;	     /* frames keep them */
	void (*begin)(void); /* called when all is open; NULL = nothing */
	/* What came since the last time, at an interval and at the end, instead of `profile`; 0 =
	 * all at the end. Stacks of users then have their kernel part only if that is chosen. */
	uint64_t interval_ns;
	int (*show)(void *context, struct profile *profile, struct err *err);
	void *context;
	/* Filled by lock_live_watch(). */
	struct recording_result result;
	struct profile *profile; /* empty without samples */
	/* private */
	struct live *reader;
	struct run *run;
	struct run_timer timer;
};

/* Watches the program, or the targets, or all threads. Returns 0, -1 with err set, or
 * EXIT_STATUS_USAGE. */
int lock_live_watch(struct lock_live *live, char **program, struct err *err);
/* The exit status, after the same code. */
int lock_live_done(struct lock_live *live, int code, const struct err *err);

#endif
