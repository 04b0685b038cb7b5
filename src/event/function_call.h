/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call of a function in a program, or its return: what bpf/function_calls.bpf.c sends. */
#ifndef EVENT_FUNCTION_CALL_H
#define EVENT_FUNCTION_CALL_H

#include <linux/types.h>

struct function_call {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 sp;      /* at the function's start; grows downwards */
	/* Of the call. That of the kernel's own page if a probe at a return took its place, which
	 * it did if another function has jumped here instead of calling. */
	__u64 return_address;
	__u64 cpu_ns; /* that the thread has used, as of the kernel's last look */
	__u32 pid, tid;
	__u32 number; /* of the function */
	__u16 cpu;
	__u16 returns;
	char comm[16];
};

#endif
