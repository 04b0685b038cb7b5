/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system call that a thread is in, if it is of interest, and what its number means. */
#ifndef BPF_ACTIVITY_CALL_STATE_BPF_H
#define BPF_ACTIVITY_CALL_STATE_BPF_H

#include "bpf/activity/deliver.bpf.h"

#include "event/syscall.h"

#include <bpf/bpf_tracing.h>

#include "bpf/arch/arch.bpf.h"

/* Set before loading. */
const volatile struct activity_role roles[SYSCALL_ABIS][SYSCALL_NUMBERS];

struct call_state {
	__u32 call; /* SYSCALL_NONE = none of interest */
	__u32 unused;
	__u64 since_ns;
	__u64 arg[SYSCALL_ARGS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call_state);
} call_states SEC(".maps");

static __always_inline __u32 numbered_call(struct task_struct *task, long number)
{
	__u32 call = (__u32)number & ~SYSCALL_COMPAT_BIT;

	return arch_in_compat(task) ? call | SYSCALL_COMPAT_BIT : call;
}

static __always_inline const volatile struct activity_role *role_of(__u32 call)
{
	__u64 number = call & ~(SYSCALL_COMPAT_BIT | SYSCALL_X32_BIT);

	__asm__ volatile("" : "+r"(number));
	if (number >= SYSCALL_NUMBERS)
		return NULL;
	return call & SYSCALL_COMPAT_BIT ? &roles[SYSCALL_COMPAT][number]
					 : &roles[SYSCALL_NATIVE][number];
}

/* Arguments are counted from 1; 0 = the call has none of that kind. */
static __always_inline __u64 argument(const struct call_state *state, __u8 which)
{
	__u64 place = which - 1u;

	__asm__ volatile("" : "+r"(place));
	return place < SYSCALL_ARGS ? state->arg[place] : 0;
}

#endif
