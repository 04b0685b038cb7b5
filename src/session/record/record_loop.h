/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside a recording: the state that recorder.c (life) and record_loop.c (what happens while it
 * runs) share. */
#ifndef SESSION_RECORD_LOOP_H
#define SESSION_RECORD_LOOP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>

#include "base/err.h"
#include "base/vec.h"
#include "event/event.h"
#include "session/probe/probe_event_set.h"
#include "session/probe/tracefs_events.h"
#include "session/record/record_control.h"
#include "session/record/record_idle.h"
#include "session/record/record_output.h"
#include "session/record/record_queue.h"
#include "session/record/record_tally.h"
#include "session/record/recording_options.h"
#include "session/run.h"
#include "source/source.h"

struct python_names;

struct recorder {
	struct sink sink; /* first: on_event() and on_records() get back here */
	const struct recording_options *options;
	struct recording_options own_options; /* with the program's pid */
	struct run run;
	struct source *source, *machine; /* machine: may be NULL */
	struct record_output output;	 /* the writer thread's while that runs */
	struct python_names *python;	 /* likewise; NULL: no Python frames */
	struct record_stacks *stacks;	 /* likewise; NULL = the source's samples are complete */
	struct probe_event_set probes;
	struct tracefs_events tracefs;
	bool has_output;
	struct record_control control;
	struct record_tally tally, total; /* of this file, of all */
	struct record_targets *targets; /* of -p, where clocks of threads may miss some; or NULL */
	uint64_t targets_cpu_ns;
	struct record_idle *idle; /* of -p and -t; or NULL */
	struct recording_idle idle_at_end;
	uint64_t kernel_lost; /* samples, by the events' own counters */
	struct record_queue queue;
	struct record_chunk *chunk; /* being filled */
	pthread_t writer;
	bool has_writer;
	bool raised; /* priority of the reader; old_nice is to be restored */
	int old_nice;
	int wake_fd;	   /* the writer failed */
	bool write_failed; /* written by the writer before wake_fd */
	struct err write_err;
	uint64_t written;	  /* bytes, atomic */
	uint64_t written_samples; /* the writer's */
	uint64_t rounds;	  /* of the loop */
	uint64_t writer_cpu_ns;	  /* likewise, atomic */

	size_t window; /* next edge of --delay: 2 * index + is_end */
	uint64_t switched_bytes;
	struct run_timer window_timer, switch_timer, python_timer;
};

/* Submits the current chunk. */
void recorder_push(struct recorder *recorder);
/* Room for a record of that size in the current chunk. */
void *recorder_place(struct recorder *recorder, size_t bytes);

/* What happens while it runs besides the sources: puts it into recorder->run. */
int recorder_prepare_run(struct recorder *recorder, struct err *err);
/* What the targets of -p and -t do meanwhile. */
void recorder_begin_targets(struct recorder *recorder);
void recorder_end_targets(struct recorder *recorder);
void recorder_free_targets(struct recorder *recorder);
/* The run has begun: from now on time counts. */
void recorder_begin_run(struct recorder *recorder);

#endif
