/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between bpf/off_cpu.bpf.c and source/bpf/bpf_off_cpu.c, in addition to the records
 * of bpf/cpu.h. */
#ifndef BPF_OFF_CPU_H
#define BPF_OFF_CPU_H

#include <linux/types.h>

#include "bpf/arch/registers.h"
#include "bpf/cpu.h"

#include "event/ledger_account.h"
#include "event/syscall.h"

/* Flag of a sample: its base names a raw stack that was sent before. */
#define OFF_CPU_RAW 0x80
/* Flag of a raw record: its period is that name. Its base, unless 0, names another one that will
 * not be referenced any more; a record without struct cpu_raw contains only that. Samples of a
 * waker come right before those of the woken thread, with the same time and CPU. */
#define OFF_CPU_STACK 0x40

/* Places where a thread waited that are remembered, as it may go from one to another and back. A
 * power of two. */
#define OFF_CPU_STANDS 8u

/* Sums of waits too short for single samples. */
struct off_cpu_sum_key {
	__u64 stack, waker_stack; /* names of nodes; 0 = none */
	__u32 pid, tid, waker_pid, waker_tid;
	__u32 raw, waker_raw; /* the name is of a raw stack */
};

struct off_cpu_sum {
	__u64 ns, count, max_ns;
	__u64 last_ns; /* when a wait ended last */
};

/* System calls of one number that one thread makes at one stack (bpf/off_cpu/calls.bpf.h). The
 * call's frame (event/syscall_frame.h) is on top of the stack. */
struct off_cpu_call_key {
	__u64 stack; /* name of a node; 0 = not known */
	__u32 pid, tid;
	__u32 call; /* as in struct syscall_key */
	__u32 raw;  /* the name is of a raw stack */
};

struct off_cpu_call_sum {
	__u64 last_ns; /* when one began last */
	__u64 ns[LEDGER_ACCOUNTS];
	__u32 bucket[SYSCALL_BUCKETS]; /* calls, by length */
};

/* A wait that was on when watching began: a raw stack without its bytes, which user space reads, or
 * kernel frames alone (CPU_WALKED). raw.period is its name. */
struct off_cpu_open {
	struct cpu_sample head;
	struct cpu_raw raw;
	__u64 kernel[CPU_KERNEL_FRAMES]; /* leaf first */
	__u64 stack_top;		 /* of the main thread */
	struct pt_regs regs;
};

/* A wait that was on when watching ended. */
struct off_cpu_rest {
	__u64 stack, ns;
	__u32 pid, tid, raw, unused;
};

#endif
