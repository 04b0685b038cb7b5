/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of a recording: every flag of `cupel record` as data. All zero is the default;
 * strings are borrowed from the command line. */
#ifndef SESSION_RECORDING_OPTIONS_H
#define SESSION_RECORDING_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/options.h"

struct byte_queue;
struct err;
struct run;

/* A stretch of time, relative to the start, in which events are on; end_ms 0 = for ever. */
struct record_window {
	uint64_t start_ms, end_ms;
};

#define RECORD_MAX_WINDOWS 64

struct record_delay {
	bool disabled; /* -D -1: stays off until --control enables it */
	size_t count;
	struct record_window window[RECORD_MAX_WINDOWS];
};

enum recording_switch {
	RECORDING_SWITCH_NONE,
	RECORDING_SWITCH_SIGNAL, /* SIGUSR2 */
	RECORDING_SWITCH_SIZE,
	RECORDING_SWITCH_TIME,
};

struct record_switch_output {
	enum recording_switch mode;
	uint64_t size_bytes, time_ns;
};

enum recording_synth {
	RECORDING_SYNTH_TASK = 1,
	RECORDING_SYNTH_MMAP = 2,
	RECORDING_SYNTH_CGROUP = 4,
	RECORDING_SYNTH_ALL = 7,
};

struct record_synth_option {
	bool given;
	unsigned mask; /* enum recording_synth */
};

/* Build ids in the records of mappings. */
enum recording_map_ids {
	RECORDING_MAP_IDS_READ,	  /* the recorder reads them from the files */
	RECORDING_MAP_IDS_KERNEL, /* the kernel does; perf 6.1 beside aborts then */
	RECORDING_MAP_IDS_NONE,	  /* they are in the header only */
};

struct recording_options {
	struct source_options source;

	/* what existed before */
	struct record_synth_option synth;
	bool tail_synthesize;

	/* the thread that reads */
	uint64_t realtime_priority; /* SCHED_FIFO priority, 0 = none */

	/* output */
	const char *const *words; /* the command line, for the file's header */
	size_t word_count;
	const char *output;		 /* NULL = perf.data, "-" = stdout in pipe mode */
	int output_fd_plus_one;		 /* record into this open file or pipe; 0 = use `output` */
	struct byte_queue *output_queue; /* instead: to a reader in this program, as to a pipe */
	int zstd_level;			 /* 0 = none */
	struct record_switch_output switch_output;
	uint64_t switch_max_files;
	bool timestamp_filename;
	bool no_build_id;
	enum recording_map_ids map_ids;
	bool no_names;	 /* names of the code that was hit are not kept */
	bool no_context; /* no samples of the machine's state, see event/machine.h */

	/* the end */
	uint64_t duration_ns;	 /* 0 = until the program ends or a signal arrives */
	uint64_t max_size_bytes; /* 0 = no limit */

	uint64_t table_bytes;	   /* unwind tables in the kernel, at most; 0 = 64 MiB */
	uint64_t max_memory_bytes; /* see base/memory_limit.h; 0 = default */

	/* control */
	struct record_delay delay;
	const char *control;
	bool dry_run;
	/* Prints a line for the user during the recording (a file was switched, events were
	 * enabled); may be NULL. */
	void (*say)(const char *line);
	/* Called before the first sample: the caller may add descriptors, timers and signals to the
	 * loop; NULL = none. */
	int (*attend)(void *context, struct run *run, struct err *err);
	void *attend_context;
	bool latency; /* context switches are recorded: the source's switch_events */
	bool quiet;
	unsigned verbose;
};

#endif
