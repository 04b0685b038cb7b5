/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs fetch programs (bpf/fetch.h) at probes. All state is on the stack, because programs at
 * uprobes may be preempted. At probes in user programs it needs a program that may sleep:
 * SEC("uprobe.s"), from Linux 6.0 on. */
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
#define FETCH_GET_MEMORY(of_kernel, to, size, address) fetch_memory(of_kernel, to, size, address)
#define FETCH_GET_STRING(of_kernel, to, size, address) fetch_text(of_kernel, to, size, address)
#define FETCH_GET_SPECIAL(run, which)		       fetch_special(run, (__u32)(which))

/* Memory that the program has not touched yet, such as its constants, has to be read from its file
 * first, for which the BPF program must be one that may sleep. */
static __always_inline long fetch_memory(bool of_kernel, void *to, __u32 size, __u64 address)
{
	if (of_kernel && (__s64)address < 0)
		return bpf_probe_read_kernel(to, size, (const void *)(long)address);
	if (!bpf_probe_read_user(to, size, (const void *)(long)address))
		return 0;
	if (of_kernel)
		return -1;
	return bpf_copy_from_user(to, size, (const void *)(long)address);
}

static __always_inline long fetch_text(bool of_kernel, void *to, __u32 size, __u64 address)
{
	char touched;
	long len;

	if (of_kernel && (__s64)address < 0)
		return bpf_probe_read_kernel_str(to, size, (const void *)(long)address);
	len = bpf_probe_read_user_str(to, size, (const void *)(long)address);
	if (len >= 0 || of_kernel)
		return len;
	if (bpf_copy_from_user(&touched, 1, (const void *)(long)address))
		return -1;
	/* its end may be on the next page */
	(void)bpf_copy_from_user(&touched, 1, (const void *)(long)(address + size - 1));
	return bpf_probe_read_user_str(to, size, (const void *)(long)address);
}

#ifdef FETCH_WITH_ENTRY
#include "bpf/fetch_entry.bpf.h"
#else
static __always_inline __u64 fetch_of_entry(struct fetch_run *run, __u32 which)
{
	return 0;
}
#endif

static __always_inline __u64 fetch_special(struct fetch_run *run, __u32 which)
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
	case FETCH_TIME:
		return bpf_ktime_get_ns();
	case FETCH_CONTEXT:
		return run->context;
	default:
		return fetch_of_entry(run, which);
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
	return fetch_take_step(run, step, false);
}

/* Programs that do not sleep must not call the other one. */
SUBPROGRAM int fetch_step_of_kernel(struct fetch_run *run, const struct fetch_step *step)
{
	if (!run || !step)
		return 1;
	return fetch_take_step(run, step, true);
}

/* NULL: the last one was done. */
static __always_inline const struct fetch_step *fetch_next(const struct fetch_run *run, __u32 turn)
{
	const struct fetch_program *program =
		bpf_map_lookup_elem(&fetch_programs, &run->result.number);

	return program && turn < program->count ? &program->step[turn & (FETCH_STEPS - 1)] : NULL;
}

static __attribute__((unused)) long fetch_turn(__u32 turn, void *run)
{
	const struct fetch_step *step = fetch_next(run, turn);

	return step ? turn_over(fetch_step(run, step)) : 1;
}

static __attribute__((unused)) long fetch_turn_of_kernel(__u32 turn, void *run)
{
	const struct fetch_step *step = fetch_next(run, turn);

	return step ? turn_over(fetch_step_of_kernel(run, step)) : 1;
}

/* What run begins with. return_at: of a call that ends. */
static __always_inline void fetch_start(struct fetch_run *run, void *context, __u32 number,
					__u64 return_at)
{
	__builtin_memset(run, 0, sizeof(*run));
	run->context = (__u64)(long)context;
	run->return_at = return_at;
	run->result.number = number;
}

/* Runs the program over the registers of a probe's context; false: it dropped the result. of_kernel
 * is a constant. */
static __always_inline __attribute__((unused)) bool fetch(struct fetch_run *run, bool of_kernel)
{
	if (of_kernel)
		LOOP(FETCH_STEPS, fetch_turn_of_kernel, run);
	else
		LOOP(FETCH_STEPS, fetch_turn, run);
	return !run->result.dropped;
}

static __attribute__((unused)) long fetch_turn_in_map(__u32 turn, struct fetch_run **where)
{
	return *where ? fetch_turn(turn, *where) : 1;
}

static __attribute__((unused)) long fetch_turn_of_kernel_in_map(__u32 turn,
								struct fetch_run **where)
{
	return *where ? fetch_turn_of_kernel(turn, *where) : 1;
}

/* The same with `run` in a map: loops take only pointers to the stack. */
static __always_inline __attribute__((unused)) bool fetch_in_map(struct fetch_run *run,
								 bool of_kernel)
{
	if (of_kernel)
		LOOP(FETCH_STEPS, fetch_turn_of_kernel_in_map, &run);
	else
		LOOP(FETCH_STEPS, fetch_turn_in_map, &run);
	return !run->result.dropped;
}

#endif
