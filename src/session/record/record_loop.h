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
#include "session/record/record_control.h"
#include "session/record/record_output.h"
#include "session/record/record_program.h"
#include "session/record/record_queue.h"
#include "session/record/record_tally.h"
#include "session/signals.h"
#include "source/options.h"
#include "source/source.h"

enum recorder_stop {
	RECORDER_RUNNING,
	RECORDER_PROGRAM_ENDED,
	RECORDER_TARGET_ENDED,
	RECORDER_SIGNAL,
	RECORDER_DURATION,
	RECORDER_COMMAND,
	RECORDER_MAX_SIZE,
	RECORDER_FAILED,
};

struct machine_sampler;
struct python_names;

struct recorder {
	struct sink sink; /* first: on_event() and on_records() get back here */
	const struct recording_options *options;
	struct recording_options own_options; /* with the program's pid */
	struct signals signals;
	struct record_program program;
	struct source *source;
	struct record_output output;  /* the writer thread's while that runs */
	struct python_names *python;  /* likewise; NULL = nobody tells of Python's frames */
	struct record_stacks *stacks; /* likewise; NULL = the source's samples are complete */
	bool has_output;
	struct record_control control;
	struct record_tally tally, total; /* of this file, of all */
	uint64_t kernel_lost;		  /* samples, by the events' own counters */
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
	uint64_t writer_cpu_ns;	  /* likewise, atomic */
	VEC(int) targets;	  /* pidfds of -p and -t; a gone one is -1 */
	size_t targets_left;
	uint64_t start_ns, end_ns;

	enum recorder_stop stop;
	int stop_signal;	 /* the writer reads it, too */
	bool stop_from_terminal; /* the program got the signal too */
	size_t window;		 /* next edge of --delay: 2 * index + is_end */
	uint64_t switched_ns, switched_bytes;

	struct machine_sampler *context; /* NULL = not asked for */
	uint64_t machine_due_ns;
};

/* Hands the current chunk over, whatever it holds. */
void recorder_push(struct recorder *recorder);
/* Room for a record of so many bytes in the chunk that is being filled. */
void *recorder_place(struct recorder *recorder, size_t bytes);

/* Of a struct recorder, for the thread that writes: a signal said so, during the recording or
 * since. */
bool recorder_asked_to_stop(const void *recorder);
/* Watches the processes and threads of -p and -t, so that the recording ends with the last. */
int recorder_targets_open(struct recorder *recorder, struct err *err);
void recorder_targets_close(struct recorder *recorder);

/* Runs until something ends it; sets recorder->stop. */
int recorder_loop(struct recorder *recorder, struct err *err);
/* Sees a program off that outlives the recording. */
void recorder_end_program(struct recorder *recorder);

#endif
