/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between bpf/cpu.bpf.c and source/bpf/: one record per sample through a ring buffer
 * of each CPU, and shared memory.
 *
 * Stacks form a tree. A node is a frame together with all its callers; its name is a hash that both
 * sides compute from the root down. The kernel part remembers the names it has sent (in a table
 * that overwrites old ones), and a sample consists of the node `base` and the frames above it. So a
 * repeated stack is a name, a new leaf of a known stack a name and a pc. A name is remembered only
 * after its record is in a ring; because the rings of other CPUs may be read first, a name can be
 * unknown for one round of reading. */
#ifndef BPF_CPU_H
#define BPF_CPU_H

#include <linux/types.h>

#include "bpf/arch/registers.h"
#include "bpf/log2.h"

#define CPU_USER_FRAMES	  1024
#define CPU_KERNEL_FRAMES 127	/* kernel.perf_event_max_stack's default */
#define CPU_FRAMES	  2048	/* room: a power of two above both together */
#define CPU_STACK_BYTES	  61440 /* 15 pages: what a record of 64 KiB holds */
#define CPU_PAYLOAD_WORDS 256	/* with its length; a power of two */
#define CPU_SEEN_BITS	  16
#define CPU_COST_BUCKETS  256

enum cpu_kind {
	CPU_WALKED, /* frames that hang from base */
	CPU_RAW,    /* struct cpu_raw follows */
	CPU_DEFINE, /* no sample: frames that hang from base, for samples to come */
};

/* Flags of a sample. */
#define CPU_IN_KERNEL  0x01 /* the kernel was interrupted */
#define CPU_IN_SYSCALL 0x02 /* raw: the user pc is where a system call returns to */

/* A page fault's payload has two words behind the address: how long it took in ns, after the CPU's
 * error code in 16 bits, and what was done for it: the page comes from swap, and the order of a
 * huge page. That is not known before the end of the fault. */
#define CPU_FAULT_KNOWN	      (1ull << 31)
#define CPU_FAULT_SWAP	      (1ull << 16)
#define CPU_FAULT_ORDER_SHIFT 20
#define CPU_FAULT_ORDER_MASK  31ull

/* Words follow it: the frames, leaf first; the event's id when several events are sampled, the
 * period when it is large, the ip when the kernel's frames are left out; from programs with
 * payload, a word with its length in bytes, and it. */
struct cpu_sample {
	__u64 time_ns;
	__u64 base;
	__u32 pid, tid;
	__u32 period; /* UINT32_MAX = behind the frames */
	__u16 frames; /* that hang from base, or the kernel's in a raw one */
	__u8 kind, flags;
};

/* A sample to be unwound in user space. */
struct cpu_raw {
	__u64 id, period, ip;
	__u64 stack_skip; /* bytes above the stack pointer that are not there */
	__u64 fault;	  /* the frame's stack pointer above which a page was not there; 0 = none */
	__u64 reg[CPU_REGISTERS];
	/* Then cpu_sample.frames words, the kernel's frames, leaf first; from programs with
	 * payload, that as above; then to the record's end, from the stack pointer upwards, bytes
	 * of the stack. */
};

/* One CPU's counts, written by that CPU alone. */
struct cpu_counts {
	__u64 ticks;		/* interrupts, but for those of an idle CPU */
	__u64 samples, lost;	/* all; those that found no room in the ring */
	__u64 spent_ns;		/* on them */
	__u64 raw, raw_refused; /* handed up; not handed up because there were too many */
	__u64 replaced;		/* handed up because a library took the place of another */
	__u64 walked, cache_hits, cache_misses; /* user stacks walked, and rules looked for */
	__u64 reused, believed; /* off the CPU: stacks not walked again, see stack_memo.bpf.h */
	/* Of walks, by time: bucket b < 16 is b ns; above, four buckets for each power of two. */
	__u64 cost[CPU_COST_BUCKETS];
};

/* Hits of an event on one CPU, in a program that is followed (bpf/hits.bpf.h). */
struct cpu_hits {
	__u64 hz;     /* of samples; 0: the period is fixed */
	__u64 period; /* hits for a sample */
	__u64 hits;   /* since the last sample */
	__u64 window_ns, window_hits, window_samples;
};

static inline __u32 cpu_cost_bucket(__u64 ns)
{
	__u32 log2 = log2_of(ns);

	return ns < 16 ? ns : 16 + (log2 - 4) * 4 + (ns >> (log2 - 2) & 3);
}

/* Names of nodes. The stack of a thread that ended with `stop` starts at that root. */
static inline __u64 cpu_node_root(__u64 seed, __u32 stop)
{
	return seed ^ (stop + 1) * 0x9e3779b97f4a7c15ULL;
}

static inline __u64 cpu_node_child(__u64 parent, __u64 pc)
{
	__u64 hash = (parent ^ pc) * 0xd6e8feb86659fd93ULL;

	return hash ^ hash >> 32;
}

/* Where the kernel part remembers a name. */
static inline __u32 cpu_node_slot(__u64 name)
{
	return name >> (64 - CPU_SEEN_BITS);
}

#endif
