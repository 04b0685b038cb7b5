/* SPDX-License-Identifier: GPL-2.0-or-later */
/* While a program's blocks are recorded: which pages of its anonymous memory are not touched in an
 * interval, by DAMON (source/damon.h), and how much of each mapping, by clear_refs. Then it ends
 * the run. */
#ifndef SESSION_HEAP_HEAP_COLD_WATCH_H
#define SESSION_HEAP_HEAP_COLD_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "proc/referenced_map.h"
#include "profile/heap/heap_cold.h"
#include "session/run.h"

/* More would take the kernel too long and too much memory; these are 64 MiB. */
#define HEAP_COLD_MOST 16384

struct damon;
struct err;

/* A page that is looked at. */
struct heap_cold_frame {
	uint64_t address, frame;
};

struct heap_cold_watch {
	pid_t pid; /* 0 = the program of the run */
	uint64_t after_ns, interval_ns;

	/* the result, if it is done */
	bool done;
	struct heap_cold_pages pages;
	uint64_t anonymous;	   /* pages that there were */
	struct referenced_map map; /* of the same interval */

	/* its own */
	struct run *run;
	struct run_timer timer;
	struct damon *damon;
	VEC(struct heap_cold_frame) chosen; /* by frame */
	VEC(uint64_t) frame;		    /* without repetition */
	bool cleared;
};

/* For recording_options.attend, in the loop before the program runs. */
void heap_cold_attend(struct heap_cold_watch *watch, struct run *run);
/* A failure if the interval was not whole, because the run ended. */
int heap_cold_check(const struct heap_cold_watch *watch, struct err *err);
void heap_cold_watch_done(struct heap_cold_watch *watch);

#endif
