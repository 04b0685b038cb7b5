/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records the calls of an allocator's functions (profile/heap/heap_calls.h), as long as they are
 * not too many: a probe costs about a microsecond. */
#ifndef SESSION_HEAP_HEAP_CALLS_WATCH_H
#define SESSION_HEAP_HEAP_CALLS_WATCH_H

#include <stdint.h>

#include "base/arena.h"
#include "session/run.h"

struct buf;
struct err;
struct load_options;
struct recording_options;

/* Samples per second with which a program spends a tenth of its time in probes. */
#define HEAP_CALLS_MOST_HZ 100000u

/* For loading such a recording: what samples keep. */
void heap_calls_load(struct load_options *load);
/* Which of the functions (1 << enum heap_call) can be probed in a file, a path or the short name of
 * a library of the process (0: of any): a linker takes only those that the program calls into some
 * static programs. Names of those that are there, but with a return that cannot be probed, are
 * appended to left_out. Before threads start. */
unsigned heap_calls_find(const char *file, int pid, struct buf *left_out);
/* Selects their events. The texts are in the arena. */
void heap_calls_select(const char *file, unsigned found, struct arena *arena,
		       struct recording_options *options);

/* Ends the recording at more of them; the program goes on. */
struct heap_calls_guard {
	struct run *run;
	struct run_timer timer;
	uint64_t since_ns, samples; /* of the latest look */
	uint64_t hz;		    /* that were too much; 0 = they were not */
};

/* In the loop, before the program runs. */
void heap_calls_attend(struct heap_calls_guard *guard, struct run *run);
/* After the loop: a failure if it was ended. */
int heap_calls_check(const struct heap_calls_guard *guard, const char *file, struct err *err);

#endif
