/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the sched commands: opens a recording and prints while reading. */
#ifndef COMMAND_SCHED_INPUT_H
#define COMMAND_SCHED_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "command/option/option.h"
#include "profile/sched/sched.h"

struct err;
struct option_words;
struct perf_data;
struct recording;
struct sched_trace;

struct sched_input_options {
	const char *input, *symfs, *kallsyms, *vmlinux;
};

/* Rows for OPT_INCLUDE. */
extern const struct option_def sched_input_rows[];

struct sched_input {
	struct buf out;	 /* what events left, printed now and then */
	bool next_names; /* set before reading: see struct sched_options */
	bool steps;	 /* likewise: without context switches they will do */
	bool locks;	 /* likewise: see struct sched_options */
	bool coloured;	 /* the output has colours; its names are tidy */
	int write_code;	 /* of the first failure to print */
	struct err *err;
	struct recording *recording;
	struct perf_data *data; /* of it */
	struct sched_trace *trace;
};

/* Uses an open recording. Returns 0 or -errno. */
typedef int sched_input_use(void *context, struct sched_input *input, struct err *err);

/* The run function of a command without arguments: opens the recording, calls `use`, closes it. */
int sched_input_run(const struct sched_input_options *options, struct option_words words,
		    sched_input_use *use, void *context, struct err *err);
/* Reads all of it into the view, which may append to input->out; an input without context switches,
 * or steps that will do, is an error. max_stack: frames of call chains to name. */
int sched_input_read(struct sched_input *input, const struct sched_input_options *options,
		     struct sched_sink *view, uint32_t max_stack, struct err *err);
/* Prints the rest of input->out. */
int sched_input_flush(struct sched_input *input, struct err *err);
/* CPUs of the recorded machine, at least 1. */
uint32_t sched_input_cpus(const struct sched_input *input);

#endif
