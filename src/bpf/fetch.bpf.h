/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs fetch programs (bpf/fetch.h) at probes in user programs. All state is on the stack, because
 * programs at uprobes may be preempted. Needs a program that may sleep: SEC("uprobe.s"), from Linux
 * 6.0 on. */
#ifndef BPF_FETCH_BPF_H
#define BPF_FETCH_BPF_H
#include <stdbool.h>

#include "bpf/fetch.h"
#include "bpf/kernel.h"
#include "bpf/loop.bpf.h"
#include "bpf/subprogram.bpf.h"

#include <bpf/bpf_helpers.h>

#define FETCH_GET_REGISTER(run, index, ret) \
	bpf_probe_read_kernel(ret, 8, (void *)(long)((run)->context + ((__u64)(index)&63) * 8))
#define FETCH_GET_MEMORY(run, to, size, address) fetch_memory(to, size, address)
#define FETCH_GET_STRING(run, to, size, address) fetch_text(to, size, address)
#define FETCH_GET_SPECIAL(which)		 fetch_special((__u32)(which))

/* Memory that the program has not touched yet, such as its constants, has to be read from its file
 * first, for which the BPF program must be one that may sleep. */
static __always_inline long fetch_memory(void *to, __u32 size, __u64 address)
{
	if (!bpf_probe_read_user(to, size, (const void *)(long)address))
		return 0;
	return bpf_copy_from_user(to, size, (const void *)(long)address);
}

static __always_inline long fetch_text(void *to, __u32 size, __u64 address)
{
	long len = bpf_probe_read_user_str(to, size, (const void *)(long)address);
	char touched;

	if (len >= 0)
		return len;
	if (bpf_copy_from_user(&touched, 1, (const void *)(long)address))
		return -1;
	/* its end may be on the next page */
	(void)bpf_copy_from_user(&touched, 1, (const void *)(long)(address + size - 1));
	return bpf_probe_read_user_str(to, size, (const void *)(long)address);
}

static __always_inline __u64 fetch_special(__u32 which)
{
	switch (which) {
	case FETCH_PID:
		return bpf_get_current_pid_tgid() >> 32;
	case FETCH_TID:
		return (__u32)bpf_get_current_pid_tgid();
	case FETCH_UID:
		return (__u32)bpf_get_current_uid_gid();
	case FETCH_CPU:
		return bpf_get_smp_processor_id();
	default:
		return bpf_ktime_get_ns();
	}
}

#include "bpf/fetch_step.h"

/* By number; user space fills it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set before loading */
	__type(key, __u32);
	__type(value, struct fetch_program);
} fetch_programs SEC(".maps");

/* Verified once, not for each state that the steps before may leave. */
SUBPROGRAM int fetch_step(struct fetch_run *run, const struct fetch_step *step)
{
	if (!run || !step)
		return 1;
	return fetch_take_step(run, step);
}

static long fetch_turn(__u32 turn, void *context)
{
	struct fetch_run *run = context;
	const struct fetch_program *program =
		bpf_map_lookup_elem(&fetch_programs, &run->result.number);

	if (!program || turn >= program->count)
		return 1;
	return turn_over(fetch_step(run, &program->step[turn & (FETCH_STEPS - 1)]));
}

/* Runs program `number` over the registers of a probe's context; false: it dropped the result. */
static __always_inline __attribute__((unused)) bool fetch(void *context, __u32 number,
							  struct fetch_run *run)
{
	__builtin_memset(run, 0, sizeof(*run));
	run->context = (__u64)(long)context;
	run->result.number = number;
	LOOP(FETCH_STEPS, fetch_turn, run);
	return !run->result.dropped;
}

static long fetch_turn_in_map(__u32 turn, struct fetch_run **where)
{
	return *where ? fetch_turn(turn, *where) : 1;
}

/* The same with `run` in a map: loops take only pointers to the stack. */
static __always_inline __attribute__((unused)) bool fetch_in_map(void *context, __u32 number,
								 struct fetch_run *run)
{
	__builtin_memset(run, 0, sizeof(*run));
	run->context = (__u64)(long)context;
	run->result.number = number;
	LOOP(FETCH_STEPS, fetch_turn_in_map, &run);
	return !run->result.dropped;
}

#endif
