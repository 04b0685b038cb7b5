/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of the CPU sampler: what user space configures, what each CPU has for itself. Programs of
 * perf events do not interrupt each other on one CPU, so a CPU's memory needs no lock. */
#ifndef BPF_CPU_STATE_BPF_H
#define BPF_CPU_STATE_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/arch/registers.h"
#include "bpf/cpu.h"
#include "bpf/kernel.h"
#include "bpf/python/python_state.bpf.h"
#include "bpf/walk/unwind_tables.h"
#include "unwind/plain.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#define WINDOW_BYTES	   1024
#define STACK_ROOM	   65536u /* a power of two above CPU_STACK_BYTES */
#define RECENT_RANGES	   4u	  /* a power of two */
#define CACHE_SLOTS	   4096u  /* a power of two */
#define FRAME_CACHES	   8u	  /* a power of two */
#define FRAME_CACHE_FRAMES 256u	  /* a power of two */

/* Words of the stack that a walk read, as far as they are remembered: see
 * off_cpu/stack_cache.bpf.h. */
#define BP_IN_LOG		 0u
#define BP_OF_LEAF		 1u
#define READ_LOG_WORDS		 64u /* a power of two */
#define STACK_CACHE_INNER_FRAMES 8u  /* of Python functions, looked at each time */

/* Set before loading; these are usual. */
const volatile __u64 seed = 1;			      /* of node names */
const volatile __u32 max_frames = CPU_USER_FRAMES;    /* of the user part */
const volatile bool with_kernel = true;		      /* kernel frames are wanted */
const volatile bool with_user = true;		      /* user frames are wanted */
const volatile bool many_events = true;		      /* samples say which event they are of */
const volatile bool with_payload;		      /* samples have one */
const volatile bool payload_is_registers;	      /* of samples in user space */
const volatile bool payload_has_fault;		      /* behind the address */
const volatile bool clock_boottime;		      /* instead of the monotonic one */
const volatile __u32 raw_bytes_per_second = 64 << 20; /* from each CPU */
const volatile __u32 wakeup_bytes = 256 << 10;	      /* of a ring, waiting to be read */

/* Names of nodes that user space knows. It clears them to start anew. */
__u64 seen[1u << CPU_SEEN_BITS];

struct cached_rule {
	uint64_t key; /* pc * 2 + returns */
	uint32_t generation;
	uint32_t has_range; /* the frame's code has no table: see user_walk.bpf.h */
	struct unwind_rule rule;
};

/* The steps of a thread's earlier walk in its order, and those of the walk that is made now: see
 * bpf/walk/frame_cache.bpf.h. The last frame has the highest sp there is. */
struct frame_cache {
	uint32_t tid, generation; /* of the thread's space */
	uint32_t latest;	  /* which of the two is the earlier walk's */
	uint32_t stale;		  /* little of it was of use */
	struct frame_cache_frame {
		uint64_t sp, bp, key; /* of the frame; key as in struct cached_rule */
		struct unwind_plain step;
	} frame[2 * FRAME_CACHE_FRAMES];
};

/* In the order of use: little of this is in a cache when a sample is taken. */
struct walk {
	uint64_t pc, sp, bp;
	bool leaf, exact;
	bool laying; /* the frames are kept */
	bool met_replaced;
	bool by_leaf_bp; /* the bp that it began with had a part in it */
	uint32_t stop;
	uint32_t count, limit; /* of frames, kernel ones included */
	uint64_t window_start, window_len;
	uint64_t replaced_start, replaced_len; /* code with possibly outdated rules */
	uint32_t generation;
	uint32_t frame_cache;		      /* number of the thread's */
	uint32_t frame_cache_place, laid;     /* of the frames that come next */
	uint32_t cached_frames, other_frames; /* frames that were there, and others */
	uint32_t hits, misses;
	uint64_t where;				   /* the space's ranges */
	struct unwind_range range;		   /* the last that was looked for */
	struct unwind_range recent[RECENT_RANGES]; /* of this generation */
	uint32_t next_recent;
	uint32_t known;	    /* of reg */
	uint64_t reg[17];   /* of the leaf, by DWARF number */
	uint32_t log_count; /* above READ_LOG_WORDS: not all is in it */
	uint32_t log_depth; /* words above log_sp that it is in */
	uint64_t log_sp, log_hash;
	struct unwind_plain plain; /* the step that is being made */
	uint64_t bp_at; /* the word that bp was read from and that is not in the log, or BP_… */
	uint16_t log[READ_LOG_WORDS]; /* above log_sp, in words */
	struct python_walk python;
	uint64_t window[WINDOW_BYTES / 8];
};

/* What is sent. */
struct outgoing {
	struct cpu_sample head;
	/* Leaf first, and the words behind them. */
	__u64 frame[CPU_FRAMES + CPU_PAYLOAD_WORDS];
};

struct outgoing_raw {
	struct cpu_sample head;
	struct cpu_raw raw;
	__u8 rest[STACK_ROOM + 4096]; /* kernel frames, payload, then the stack */
};

/* How far the copy of a raw stack has come. */
struct raw_copy {
	__u64 from;
	__u32 at; /* where in `rest` the stack begins */
	__u32 len, done;
	__u32 skip; /* of len, in front of what is done */
};

struct cpu_memory {
	struct walk walk;
	struct pt_regs regs; /* the task's in user mode */
	struct outgoing out;
	struct outgoing_raw raw;
	struct raw_copy copy;
	struct frame_cache frame_cache[FRAME_CACHES];
	__u64 tokens, tokens_ns; /* bytes of raw stacks that may be sent */
	/* When the latest sample was done, and time taken that the program has not had yet. */
	__u64 left_ns, debt_ns;
	__u64 owed;			  /* periods of samples that were not taken */
	__u64 payload[CPU_PAYLOAD_WORDS]; /* of the sample: its bytes, and they */
};

/* Data of a sample besides its head. */
struct sample_facts {
	__u64 id, period, ip;
	__u64 base; /* of a raw one; see bpf/off_cpu.h */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPUs */
	__type(key, __u32);
	__type(value, struct cpu_memory);
} memories SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu_counts);
} counts SEC(".maps");

struct rule_cache {
	struct cached_rule slot[CACHE_SLOTS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rule_cache);
} caches SEC(".maps");

struct inner_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct inner_ring);
} rings SEC(".maps");

#endif
