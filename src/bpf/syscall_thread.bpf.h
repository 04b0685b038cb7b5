/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tracer knows of each thread, and which calls are of interest. */
#ifndef BPF_SYSCALL_THREAD_H
#define BPF_SYSCALL_THREAD_H

#include <stdbool.h>

#include "bpf/kernel.h"

#include "event/syscall.h"

#include <bpf/bpf_helpers.h>

#include "bpf/arch/arch.bpf.h"
#include "bpf/syscall_recent.bpf.h"

/* Set before loading. */
const volatile bool everybody;	      /* all threads of the machine, but not ours */
const volatile bool but_targets;      /* and not those of targets */
const volatile __u32 uid_plus_one;    /* only those of this user; 0 = any */
const volatile bool by_tid;	      /* targets are threads, else processes */
const volatile bool with_children;    /* threads and processes that a traced one makes */
const volatile bool with_descendants; /* those too that exist already */
const volatile bool with_sums;
const volatile __u64 min_ns;	    /* sums and lines are of calls that take this long, */
const volatile bool only_errors;    /* and fail */
const volatile bool with_times;	    /* sys_enter and sched_switch are attached, too */
const volatile __u32 program;	    /* the process that is traced from its exec on; 0 = none */
const volatile bool unknown_wanted; /* calls with a number that the tables do not have */
/* By number: SYSCALL_WANTED, SYSCALL_FOLLOWED. */
const volatile __u8 wanted[SYSCALL_ABIS][SYSCALL_NUMBERS];

struct syscall_counts counts;
__u64 started_ns, stopped_ns; /* when tracing began and ended */

#define UNWANTED     (SYSCALL_NONE - 1)
#define USED_NUMBERS 512 /* sums of higher ones stay in the map until the end */
#define USED_WORDS   (USED_NUMBERS / 64)

struct thread {
	__u32 number; /* 0 = it is not traced */
	__u32 call;   /* the open one; SYSCALL_NONE, UNWANTED */
	__u64 since_ns, left_ns, off_cpu_ns;
	bool before_exec;  /* the program: what it calls is not its own yet */
	bool in_unseen;	   /* perhaps in a call that is not to be counted */
	bool not_followed; /* a call that user space follows without showing it found no room */
	__u32 missing;	   /* calls without a line since its last one */
	__u64 arg[SYSCALL_ARGS];
	__u64 used[USED_WORDS]; /* a bit for each native call that has a sum */
	struct recent_calls recent[RECENT_CALLS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

static __always_inline struct thread *thread_of(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, NULL, 0);
}

/* Which bits of `wanted` a call has. */
static __always_inline __u8 interest(__u32 call)
{
	__u64 number = call & ~(SYSCALL_COMPAT_BIT | SYSCALL_X32_BIT);

	__asm__ volatile("" : "+r"(number));
	if (number >= SYSCALL_NUMBERS)
		return unknown_wanted ? SYSCALL_WANTED : 0;
	return call & SYSCALL_COMPAT_BIT ? wanted[SYSCALL_COMPAT][number]
					 : wanted[SYSCALL_NATIVE][number];
}

static __always_inline bool is_wanted(__u32 call)
{
	return interest(call) & SYSCALL_WANTED;
}

static __always_inline __u32 call_of(struct task_struct *task, long number)
{
	__u32 call = (__u32)number & ~SYSCALL_COMPAT_BIT;

	return arch_in_compat(task) ? call | SYSCALL_COMPAT_BIT : call;
}

#endif
