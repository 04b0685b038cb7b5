/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches interrupts and work of the kernel, into a profile in memory: perf kwork's -b. */
#ifndef COMMAND_KWORK_KWORK_LIVE_H
#define COMMAND_KWORK_KWORK_LIVE_H

#include "session/record/recorder.h"

struct err;
struct load_options;
struct profile;

struct kwork_live {
	unsigned classes;    /* bits of enum kwork_class */
	const char *cpus;    /* NULL = all */
	char **program;	     /* while it runs; NULL = until a signal */
	void (*begin)(void); /* called when all is open; NULL = nothing */
	/* Filled by kwork_live_watch(). */
	struct recording_result result;
	struct profile *profile; /* NULL = nothing happened */
};

/* Returns 0, -1 with err set, or EXIT_STATUS_USAGE. */
int kwork_live_watch(struct kwork_live *live, const struct load_options *load, struct err *err);
/* The exit status, after the same code. The profile is the caller's. */
int kwork_live_done(struct kwork_live *live, int code, const struct err *err);

#endif
