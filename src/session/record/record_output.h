/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a recording: naming, keeping the old one, switching to the next, and the perf.data
 * writer inside. Used from one thread at a time. */
#ifndef SESSION_RECORD_OUTPUT_H
#define SESSION_RECORD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "event/event.h"
#include "session/record/record_build_ids.h"
#include "session/record/record_files.h"
#include "session/record/record_owners.h"

struct err;
struct perf_data_summary;
struct perf_data_writer;
struct python_names;
struct record_chunk;
struct record_processes;
struct recording_options;
struct record_stacks;
struct record_tally;
struct source;

struct record_output {
	struct sink sink;	  /* synthetic events go through here */
	struct sink python_sink;  /* and those of Python's functions here */
	struct sink process_sink; /* and processes of /proc here, after the first file */
	const struct recording_options *options;
	const struct source *source;
	const char *program;
	int fd;
	bool owns_fd, pipe;
	bool failed;  /* a write has: the file is not whole */
	bool had_old; /* the file that was there is now PATH.old */
	char path[4000];
	char last_name[4096]; /* of the last finished file */
	struct perf_data_writer *writer;
	struct record_build_ids build_ids;
	struct record_owners owners;
	struct record_files opened;
	struct record_processes *processes; /* for the files after the first; NULL = none */
	struct record_stacks *stacks; /* finishes samples; NULL = they come finished. Borrowed */
	bool (*asked_to_stop)(const void *context); /* see struct perf_data_facts */
	const void *stop_context;
	struct python_names *python; /* names Python's frames; NULL = there are none. Borrowed */
	uint64_t round_ns;	     /* when the last round began */
	unsigned rounds;
	uint64_t lost_samples;	 /* as the kernel counted them by event, known at the end */
	uint64_t lost_stacks;	 /* samples, at the end of the last file (record_stacks_lost()) */
	uint64_t finished_bytes; /* in files before this one */
	unsigned files;
	VEC(char *) names; /* of finished files, for --switch-max-files */
};

/* Opens the file before anything is started, to report an unwritable folder early. */
int record_output_open(struct record_output *output, const struct recording_options *options,
		       struct err *err);
/* Header, and what existed before. */
int record_output_begin(struct record_output *output, const struct source *source,
			const char *program, struct err *err);
int record_output_write(struct record_output *output, const struct record_chunk *chunk,
			struct err *err);
/* Finishes this file and continues in a new one. */
int record_output_rotate(struct record_output *output, const struct record_tally *tally,
			 struct err *err);
int record_output_finish(struct record_output *output, const struct record_tally *tally,
			 struct err *err);
/* The same after a write failed; then *samples is what a file holds, if it is the only one. */
void record_output_rescue(struct record_output *output, const struct record_tally *tally,
			  uint64_t *samples);
uint64_t record_output_bytes(const struct record_output *output); /* over all files */
/* Nothing was recorded: removes the file and puts the old one back. */
void record_output_discard(struct record_output *output);
void record_output_close(struct record_output *output);

#endif
