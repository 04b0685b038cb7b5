/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of all observing commands: sources deliver into their sinks until the program or the
 * targets exit, a signal arrives, the time is over, or a stop is requested. Life cycle:
 *
 *     run_open → run_fork → (open sources with the program's pid) → run_add… → run_watch →
 * run_close
 *
 * run_watch() starts the sources, lets the program run, loops, stops the sources and waits for the
 * program. Callers with work between these steps call the steps themselves. One run at a time per
 * process: it takes over the signals (signals.h). */
#ifndef SESSION_RUN_H
#define SESSION_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "session/program.h"
#include "session/signals.h"

struct err;
struct sink;
struct source;

#define RUN_NEVER UINT64_MAX

enum run_end {
	RUN_GOES_ON,
	RUN_PROGRAM_ENDED,
	RUN_TARGETS_ENDED,
	RUN_SIGNAL,
	RUN_DURATION,
	RUN_COMMAND, /* requested by the user in another way */
	RUN_ENOUGH,  /* a limit was reached; a program runs on */
	RUN_FAILED,
};

/* Called by the loop. Returns 0 or -errno, which ends the run. */
typedef int (*run_call)(void *context, struct err *err);

struct run_source {
	struct source *source; /* borrowed */
	struct sink *sink;
	uint64_t due_ns; /* when it is called even if nothing is readable */
};

struct run_fd {
	const int *fd; /* the owner may close it and set it to -1 */
	run_call readable;
	void *context;
};

struct run_signal {
	int number;
	run_call arrived;
	void *context;
};

struct run_timer {
	uint64_t due_ns; /* CLOCK_MONOTONIC; RUN_NEVER = not set; 0 = an interval after the start */
	/* Added to due_ns before the call, more than once if it is late; 0 = once, or `due` sets
	 * due_ns. */
	uint64_t interval_ns;
	run_call due; /* NULL: to be woken is enough */
	void *context;
};

struct run {
	struct signals signals;
	struct program program;
	const char *program_name;
	VEC(struct run_source) source;
	VEC(struct run_fd) fd;
	VEC(struct run_signal) signal;
	VEC(struct run_timer *) timer;
	VEC(int) target; /* pidfds; a gone one is -1 */
	size_t targets_left;
	uint64_t duration_ns; /* 0 = no limit */
	run_call woken;	      /* after every wake-up, with the context; NULL = nothing */
	void *context;

	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t taken_bytes;	   /* by the sources in the last round */
	enum run_end end;
	int stop_signal;	 /* other threads may read it through run_asked_to_stop() */
	bool stop_from_terminal; /* the program got the signal as well */
	bool launched;
	int exit_status; /* of the program as a shell reports it; also 126 and 127 */
};

/* Takes the signals. *run must be closed in any case. */
int run_open(struct run *run, struct err *err);
/* Starts the program and holds it before its exec; NULL or empty words: none. */
int run_fork(struct run *run, char **argv, bool stdout_to_stderr, struct err *err);
/* Ends when the last of these processes and threads exits; lists as on the command line, NULL:
 * none. Kernels before 6.9 do not report threads. */
int run_add_targets(struct run *run, const char *pids, const char *tids, struct err *err);
void run_add_source(struct run *run, struct source *source, struct sink *sink);
void run_add_fd(struct run *run, const int *fd, run_call readable, void *context);
void run_add_timer(struct run *run, struct run_timer *timer); /* borrowed */
/* What this signal does, besides those that end the run. */
int run_add_signal(struct run *run, const struct run_signal *signal, struct err *err);

/* The whole run. err has the first failure. */
int run_watch(struct run *run, struct err *err);
/* Its steps. */
int run_start(struct run *run, struct err *err); /* sources */
int run_go(struct run *run, struct err *err);	 /* the clock and the program */
int run_loop(struct run *run, struct err *err);
int run_sweep(struct run *run, struct err *err); /* takes what all sources have by now */
int run_stop(struct run *run, struct err *err);	 /* stops all sources, even after failures */
/* Asks a program that still runs to end, or takes the sources off it and waits for it. */
void run_end_program(struct run *run);

/* Ends the loop, from one of its calls. */
void run_finish(struct run *run, enum run_end end);
/* True if a signal asked to stop, during the loop or since. May be called from any thread. */
bool run_asked_to_stop(const struct run *run);
void run_close(struct run *run);

#endif
