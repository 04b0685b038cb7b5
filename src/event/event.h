/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record vocabulary: everything the kernel or a recorded file reports. All producers and
 * consumers use it. Values are host-endian; pointers are borrowed from the producer and valid only
 * during the call. ABI source: include/uapi/linux/perf_event.h; user-space records: perf.data file
 * format. */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/sink.h"

struct event_desc;
struct ledger_counts;
struct ledger_edge;
struct ledger_edge_key;
struct ledger_code;
struct ledger_lock;
struct ledger_span;
struct ledger_thread;
struct machine_sample;

enum event_type {
	EVENT_UNKNOWN, /* a record type we do not interpret: raw is set, nothing else */
	EVENT_SAMPLE,
	EVENT_MMAP, /* MMAP and MMAP2 */
	EVENT_COMM,
	EVENT_FORK,
	EVENT_EXIT,
	EVENT_SWITCH,
	EVENT_LOST,	    /* records lost */
	EVENT_LOST_SAMPLES, /* samples lost */
	EVENT_THROTTLE,
	EVENT_UNTHROTTLE,
	EVENT_NAMESPACES,
	EVENT_KSYMBOL,
	EVENT_BPF,
	EVENT_CGROUP,
	EVENT_READ,
	EVENT_ROUND,	/* FINISHED_ROUND: everything before it may be put in time order */
	EVENT_BUILD_ID, /* a build id for a path, learnt outside MMAP2 */
	/* From sources that do not sample. Of these only MACHINE is stored in files. */
	EVENT_LEDGER_THREAD, /* the ledger of one thread */
	EVENT_LEDGER_EDGE,   /* a waker and the waits that it ended */
	EVENT_LEDGER_SPAN,   /* one interval of a thread */
	EVENT_LEDGER_LOCK,   /* a lock that a process waits for */
	EVENT_LEDGER_CODE,   /* code that a process waits in */
	EVENT_LEDGER_COUNTS, /* losses of the ledger */
	EVENT_OWN,	     /* data in a layout that only the source and its tool share */
	EVENT_MACHINE,	     /* machine state (event/machine.h) */
};

/* Kernel unless noted. regs_* point at popcount(mask) values, lowest register first. */
struct event_sample {
	uint64_t ip;
	uint64_t addr;
	uint64_t period; /* in the event's unit; 1 when the attr has a fixed period of unknown size
			  */
	const uint64_t *chain; /* leaf first, with PERF_CONTEXT_* markers */
	uint32_t chain_len;
	uint32_t raw_len;
	const void *raw; /* tracepoint data */
	uint64_t user_abi, user_mask;
	const uint64_t *user_regs;
	bool user_in_syscall; /* their pc is where a system call returns to; not in perf.data */
	uint64_t intr_abi, intr_mask;
	const uint64_t *intr_regs;
	const uint8_t *stack; /* user stack from the stack pointer upwards */
	uint64_t stack_skip;  /* bytes that are missing in front of it; not in perf.data */
	uint64_t stack_fault; /* above it a page was not in memory; 0 = none; not in perf.data */
	uint64_t stack_len;   /* bytes that were really copied (dyn_size) */
	const struct perf_branch_entry *branch;
	uint64_t branch_len;
	uint64_t branch_hw_idx;
	uint64_t weight;   /* PERF_SAMPLE_WEIGHT, or the whole weight struct */
	uint64_t data_src; /* union perf_mem_data_src */
	uint64_t transaction;
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size, code_page_size;
	const void *read; /* PERF_SAMPLE_READ payload in attr.read_format layout */
	uint32_t read_len;
};

#define BUILD_ID_MAX 20

struct build_id {
	uint8_t len; /* 0 = unknown */
	uint8_t bytes[BUILD_ID_MAX];
};

struct event_mmap {
	uint64_t start, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags; /* as for mmap(2); prot is PROT_EXEC where the record has none */
	struct build_id build_id;
	const char *path;
};

struct event {
	enum event_type type;
	uint16_t misc;	   /* PERF_RECORD_MISC_* */
	uint32_t pid, tid; /* of the record's subject; (uint32_t)-1 = none (kernel) */
	uint32_t cpu;	   /* (uint32_t)-1 = unknown */
	bool has_time;
	uint64_t time_ns; /* in the recording's clock */
	uint64_t id;	  /* 0 = unknown */
	uint64_t stream_id;
	const struct event_desc *desc; /* which event this belongs to; NULL = unknown */
	const struct perf_event_header
		*raw;	      /* the record as it came (may be foreign-endian); NULL = synthetic */
	uint64_t file_offset; /* where in the file; 0 = live */
	union {
		struct event_sample sample;
		struct event_mmap mmap;
		struct {
			const char *name; /* new comm */
			bool exec;
		} comm;
		struct {
			uint32_t ppid, ptid; /* parent */
		} task;			     /* FORK and EXIT */
		struct {
			bool out, preempt;
			uint32_t other_pid, other_tid; /* (uint32_t)-1 = unknown, or ended */
			bool cpu_wide;		       /* the record has these */
		} sched;
		struct {
			uint64_t count;
		} lost;
		struct {
			uint64_t addr, ksym_type, flags; /* len in .len */
			uint32_t len;
			const char *name;
		} ksymbol;
		struct {
			uint32_t type, flags, id; /* PERF_BPF_EVENT_* */
			uint8_t tag[8];
		} bpf;
		struct {
			uint64_t id;
			const char *path;
		} cgroup;
		struct {
			const void *values; /* read_format layout */
			uint32_t len;
		} read;
		struct {
			struct build_id id;
			const char *path;
		} build_id;
		struct {
			uint64_t count;
			const struct perf_ns_link_info *item;
		} namespaces;
		const struct ledger_thread *ledger_thread;
		struct {
			const struct ledger_edge_key *key;
			const struct ledger_edge *edge;
		} ledger_edge;
		const struct ledger_span *ledger_span;
		const struct ledger_lock *ledger_lock;
		const struct ledger_code *ledger_code;
		const struct ledger_counts *ledger_counts;
		struct {
			const void *data;
			size_t len;
		} own;
		/* a consumer that keeps its contents leaves it empty */
		struct machine_sample *machine;
	};
};

#endif
