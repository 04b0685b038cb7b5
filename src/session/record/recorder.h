/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records a program, processes or the machine into perf.data: opens the source, starts the
 * program, drains the rings through a queue to the writer thread, and ends on the program's end, a
 * signal, the duration or a control command. One recording at a time in a process: it takes over
 * SIGINT, SIGTERM, SIGHUP, SIGUSR2 and SIGCHLD while it runs and gives them back. */
#ifndef SESSION_RECORDER_H
#define SESSION_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/record/record_idle.h"
#include "session/record/recording_options.h"

struct err;
struct run;

/* Loss on one CPU; CPUs without any are not listed. */
struct record_loss {
	int cpu;		  /* -1 = not known by CPU */
	uint64_t lost, throttled; /* records and samples */
};

struct recording_result {
	bool launched;	       /* a program was started */
	int exit_status;       /* its status as a shell reports it: 128 + signal when killed */
	int exit_signal;       /* 0 = not killed by a signal */
	int stop_signal;       /* signal that ended the recording, 0 = none */
	bool write_failed;     /* the samples are fewer than came */
	int write_error;       /* why, as a positive number; 0 = not known */
	uint64_t came_samples; /* until then */
	uint64_t samples, records;
	uint64_t rounds; /* how often the recorder woke up to look at its rings */
	uint64_t lost_records, lost_samples, throttled;
	struct record_loss *loss;
	size_t loss_count;
	uint64_t bytes;		    /* written, over all files */
	unsigned files;		    /* of --switch-output; else 1 */
	char output[4096];	    /* the (last) file, "-" for a pipe */
	uint64_t duration_ns;	    /* from start to stop */
	uint64_t program_cpu_ns;    /* of the program and its waited-for children */
	struct recording_idle idle; /* what targets of -p and -t did */
	uint64_t frequency_hz;	    /* 0 = fixed period */
	size_t ring_bytes;	    /* of the largest ring, at the end */
	uint64_t self_cpu_ns, self_peak_rss_bytes;
	char notes[1024]; /* deviations from the request, one per line; may be empty */
};

/* argv: the program and its arguments, NULL-terminated; NULL or empty: none. Returns 0 if the
 * recording was kept, independent of the program's status; a program that cannot be executed is
 * -ENOENT/-EACCES with ret->exit_status 127 or 126 set as well. Call recording_result_done() in
 * either case. */
int session_record(const struct recording_options *options, char **argv,
		   struct recording_result *ret, struct err *err);
/* For recording_options.attend, with its run: when it returns, all that the sources had is written.
 */
int session_record_settle(struct run *run, struct err *err);
/* Samples that came so far, in the loop. */
uint64_t session_record_taken(const struct run *run);
void recording_result_done(struct recording_result *result);

#endif
