/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording is asked to do: every flag of `cupel record` as data. All zero is the default;
 * strings are borrowed from the command line. Sources read the selection, target, rate, sample and
 * ring parts; the session reads the rest. */
#ifndef SOURCE_OPTIONS_H
#define SOURCE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

/* One -e or --filter in the order given: a filter belongs to the event before it. */
struct record_selector {
	bool filter;
	const char *text;
};

enum recording_call_graph {
	RECORDING_CALL_GRAPH_AUTO, /* BPF, else what otherwise says */
	RECORDING_CALL_GRAPH_NONE,
	RECORDING_CALL_GRAPH_FP,
	RECORDING_CALL_GRAPH_DWARF,
	RECORDING_CALL_GRAPH_LBR,
	RECORDING_CALL_GRAPH_BPF, /* walked by a program in the kernel */
};

struct record_call_graph_option {
	enum recording_call_graph mode;
	enum recording_call_graph otherwise; /* AUTO without BPF; 0 = FP */
	uint32_t stack_size;		     /* dwarf: bytes of user stack per sample, 0 = 8192 */
	bool given; /* by -g or --call-graph, so it must be honoured or refused */
};

struct recording_clock {
	bool given;
	int32_t id; /* CLOCK_* */
};

struct record_frequency {
	bool max; /* -F max: kernel.perf_event_max_sample_rate */
	uint64_t hz;
};

/* --budget: what sampling may take, of the machine or of the program. */
struct recording_budget {
	bool none;
	double percent; /* 0 = default */
};

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

/* -e off-cpu and -e wakeup. */
struct recording_off_cpu {
	bool thresh_given;
	uint64_t thresh_ns; /* shorter waits are summed up; 0 and not given = default */
	uint32_t accounts;  /* bits of enum ledger_account; 0 = what blocks */
	bool until_running; /* waits last until the thread has a CPU again, not until it is woken */
	/* Other waits are left out. */
	uint64_t min_ns, max_ns; /* 0 = no limit */
	uint32_t task_states;	 /* bits of the kernel's task_struct.__state; 0 = any */
	bool no_user_threads, no_kernel_threads;
	uint64_t cgroup_id; /* inode number of a folder of cgroups version 2; 0 = any */
};

struct recording_options {
	/* selection */
	VEC(struct record_selector) selector;
	bool all_user, all_kernel;
	bool group; /* all events in one group */

	/* target */
	bool system_wide;	 /* -a */
	const char *cpus;	 /* -C "0-3,7" */
	const char *pids, *tids; /* "1,2" */
	const char *user;	 /* name or uid */
	const char *cgroups;	 /* -G "a,b": one for each event, or one for all */
	bool no_inherit, per_thread;
	bool exclude_self; /* --exclude-perf */
	pid_t program;	   /* set by the session: the child that waits to exec, 0 = none */

	/* rate */
	struct record_frequency frequency; /* 0 = default */
	uint64_t period;		   /* -c */
	bool strict_frequency;
	struct recording_budget budget;

	/* what each sample carries */
	struct record_call_graph_option call_graph;
	bool user_callchains, kernel_callchains; /* only that half */
	uint32_t max_stack;			 /* 0 = kernel.perf_event_max_stack */
	uint64_t branch_type;			 /* PERF_SAMPLE_BRANCH_*, 0 = none */
	uint64_t user_regs, intr_regs;		 /* masks */
	bool data, phys_data, data_page_size, code_page_size;
	bool weight, transaction;
	bool no_time; /* --no-timestamp */
	bool sample_period, sample_cpu, sample_identifier;
	bool raw, no_samples;
	bool stat; /* -s: counts for each thread */
	bool running_time;

	/* what else is recorded */
	bool namespaces, all_cgroups, switch_events;
	bool no_bpf_events;
	struct record_synth_option synth;
	bool tail_synthesize;
	bool no_build_id_mmap; /* --no-buildid-mmap */

	/* rings */
	uint64_t ring_bytes; /* for each CPU, a power of two; 0 = chosen and grown as needed */
	bool overwrite;
	uint64_t realtime_priority; /* SCHED_FIFO priority of the reading thread, 0 = none */
	struct recording_clock clock;

	struct recording_off_cpu off_cpu;

	/* session */
	const char *const *words; /* the command line, for the file's header */
	size_t word_count;
	const char *output;		 /* NULL = perf.data, "-" = stdout in pipe mode */
	int output_fd_plus_one;		 /* record into this open file or pipe; 0 = use `output` */
	struct byte_queue *output_queue; /* instead: to a reader in this program, as to a pipe */
	unsigned sweep_ms;	 /* the longest that records stay in the rings; 0 = a second */
	int zstd_level;		 /* 0 = none */
	uint64_t duration_ns;	 /* 0 = until the program ends or a signal arrives */
	uint64_t max_size_bytes; /* 0 = no limit */
	struct record_delay delay;
	struct record_switch_output switch_output;
	uint64_t switch_max_files;
	bool timestamp_filename, timestamp_boundary;
	bool build_id_all, no_build_id;
	bool no_context; /* of the machine, see event/machine.h */
	const char *control;
	bool dry_run;
	/* Lines for the user while recording runs (a file was switched, events were enabled);
	 * NULL = nobody listens. */
	void (*say)(const char *line);
	bool quiet;
	unsigned verbose;

	/* perf's switches that tune what is built differently here; accepted so that scripts work
	 */
	bool accepted;
	const char *accepted_value;
};

#endif
