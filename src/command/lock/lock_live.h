/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches waits for locks, into a profile in memory. */
#ifndef COMMAND_LOCK_LOCK_LIVE_H
#define COMMAND_LOCK_LOCK_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/record/recorder.h"
#include "source/lock_choice.h"

struct err;
struct profile;

struct lock_live {
	struct lock_choice choice;
	const char *pids, *tids, *cpus;
	uint64_t duration_ns;
	bool everybody;	     /* all threads, while a program runs */
	bool addresses;	     /* frames keep them */
	void (*begin)(void); /* called when all is open; NULL = nothing */
	/* Filled by lock_live_watch(). */
	struct recording_result result;
	struct profile *profile; /* empty without samples */
};

/* Watches the program, or the targets, or all threads. Returns 0, -1 with err set, or
 * EXIT_STATUS_USAGE. */
int lock_live_watch(struct lock_live *live, char **program, struct err *err);
/* The exit status, after the same code. */
int lock_live_done(struct lock_live *live, int code, const struct err *err);

#endif
