/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of a source: the selection, target, rate, sample and ring flags of `cupel record` as
 * data, and those of single sources. All zero is the default; strings are borrowed. The other
 * options of a recording are in session/record/recording_options.h. */
#ifndef SOURCE_OPTIONS_H
#define SOURCE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct activity_choice;
struct heap_choice;
struct io_choice;
struct lock_choice;
struct probe_choice;
struct probe_events;
struct probe_values;
struct source;
struct syscall_choice;

/* One -e or --filter in the order given: a filter belongs to the event before it. */
struct record_selector {
	bool filter;
	const char *text;
	const char *figure; /* of stat -M, which needs these events; NULL = none */
};

enum recording_call_graph {
	RECORDING_CALL_GRAPH_AUTO, /* BPF, with the fallback in `otherwise` */
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

/* The ledger of threads. */
struct ledger_choice {
	bool idle;		    /* include the idle task of each CPU: thread 0, swapper/CPU */
	bool spans;		    /* include single intervals */
	uint32_t histogram_unit_ns; /* 0 = 1 */
};

struct source_options {
	/* selection */
	VEC(struct record_selector) selector;
	bool all_user, all_kernel;
	bool group;	  /* all events in one group */
	bool add_off_cpu; /* add off-cpu */
	bool tracefs;	  /* probes are made in tracefs: session/probe/tracefs_events.h */

	/* target */
	bool system_wide;	 /* -a */
	const char *cpus;	 /* -C "0-3,7" */
	const char *pids, *tids; /* "1,2" */
	const char *user;	 /* name or uid */
	const char *cgroups;	 /* -G "a,b": one for each event, or one for all */
	bool no_inherit, per_thread;
	bool descendants;  /* of pids and tids: those that exist already, too */
	bool all_threads;  /* each thread there is, by itself */
	bool exclude_self; /* --exclude-perf */
	bool children;	   /* of pids, for probes: those that come are meant, too */
	/* Sources with BPF programs of their own; the kernel filters. */
	const char *comm;      /* threads of this name; NULL = any */
	uint32_t uid_plus_one; /* threads of this user; 0 = any */
	const char *but_pids;  /* with system_wide: not these processes; NULL = none */
	/* Threads in this cgroup (version 2) or below, when they are met: the inode number of its
	 * folder; 0 = any. */
	uint64_t cgroup_id;
	uint64_t min_ns; /* what lasts this long or longer */
	pid_t program;	 /* set by the session: the child that waits to exec, 0 = none */

	/* when: also set by the session */
	bool delayed;	 /* samples begin with enable(), not with the program's exec */
	bool switchable; /* enable() may be called at any time */

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
	/* Those of sample_registers_unwind (source/arch.h) of each sample in user space: as raw
	 * data if a BPF program walks the stack, else as user registers. */
	bool registers;
	bool faults; /* page faults carry address and kind of access, and mappings are recorded */
	bool data, phys_data, data_page_size, code_page_size;
	bool weight, transaction, data_src;
	bool no_time; /* --no-timestamp */
	bool sample_period, sample_cpu, sample_identifier;
	bool raw, no_samples;
	bool stat; /* -s: counts for each thread */
	bool running_time;

	/* additional records */
	bool namespaces, all_cgroups, switch_events;
	bool no_bpf_events;
	bool kernel_build_ids; /* records of mappings have them: --buildid-mmap. Kernels then mark
				* the records of other sessions, too, and perf 6.1 aborts */
	bool added_build_ids;  /* the reader of the records adds them */

	/* rings */
	uint64_t ring_bytes; /* for each CPU, a power of two; 0 = chosen and grown as needed */
	bool overwrite;
	/* How long news of processes gather after some came; 0 = 10. Samples of a process that is
	 * not known yet have their stack copied. */
	unsigned gather_ms;
	unsigned sweep_ms; /* the longest that records stay in the rings; 0 = a second */
	struct recording_clock clock;

	/* of single sources */
	struct recording_off_cpu off_cpu;
	struct ledger_choice ledger;
	const struct activity_choice *activity;
	const struct syscall_choice *syscalls;
	const struct probe_choice *probes;
	const struct probe_values *values;
	const struct probe_events *probe_events;
	const struct heap_choice *heap;
	const struct io_choice *io;	/* NULL = the default */
	const struct lock_choice *lock; /* NULL = all locks */
	const struct source *sampler;	/* open, that other sources work for */
};

#endif
