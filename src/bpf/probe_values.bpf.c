/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts how often values of arguments and results occur at places in programs, at functions of the
 * kernel and at tracepoints. Where it is attached, the cookie is the number of the fetch program.
 */
#include <stdbool.h>

#define FETCH_WITH_ENTRY

#include "bpf/kernel.h"

#include "bpf/entered.bpf.h"
#include "bpf/fetch.bpf.h"
#include "bpf/log2.h"
#include "bpf/probe_values.h"
#include "bpf/thread_filter.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROBE_VALUES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct fetch_result);
	__type(value, struct probe_values_sum);
} occurrences SEC(".maps");

/* By number; user space fills it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set before loading */
	__type(key, __u32);
	__type(value, struct probe_values_way);
} ways SEC(".maps");

__u64 lost; /* there was no room for another value */

static __always_inline void count(const struct fetch_result *result, __u64 total)
{
	const struct probe_values_sum one = { 1, total };
	struct probe_values_sum *known = bpf_map_lookup_elem(&occurrences, result);

	if (!known) {
		if (!bpf_map_update_elem(&occurrences, result, &one, BPF_NOEXIST))
			return;
		known = bpf_map_lookup_elem(&occurrences, result); /* another CPU was faster */
	}
	if (!known) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	__sync_fetch_and_add(&known->count, 1);
	__sync_fetch_and_add(&known->total, total);
}

static __always_inline __u64 slot_of(__u64 value, const struct probe_values_way *way)
{
	if (way->is_signed && (__s64)value < 0)
		return PROBE_VALUE_NEGATIVE + log2_of(-value);
	if (way->unit > 1)
		value /= way->unit;
	if (!way->step)
		return log2_of(value);
	if (value < way->from)
		return 0;
	value = (value - way->from) / way->step + 1;
	return value < PROBE_VALUE_STEPS ? value : PROBE_VALUE_STEPS - 1;
}

/* return_at: of a call that ends. */
static __always_inline int take(void *context, __u64 return_at, bool of_kernel)
{
	__u32 number = (__u32)bpf_get_attach_cookie(context);
	const struct probe_values_way *way = bpf_map_lookup_elem(&ways, &number);
	struct fetch_run run;
	__u64 total = 0;
	bool wanted;

	if (!way || !is_wanted_here() || (way->entry && !fetch_has_entry(return_at, number)))
		return 0;
	fetch_start(&run, context, number, return_at);
	wanted = fetch(&run, of_kernel);
	if (way->entry)
		fetch_forget_entry(return_at, number);
	if (!wanted)
		return 0;
	run.result.number = way->collection;
	if (way->histogram) {
		total = run.result.value[0];
		run.result.value[0] = slot_of(total, way);
	}
	count(&run.result, total);
	return 0;
}

static __always_inline int begin(void *context, __u64 return_at, bool of_kernel)
{
	__u32 number = (__u32)bpf_get_attach_cookie(context);
	const struct probe_values_way *way = bpf_map_lookup_elem(&ways, &number);
	struct fetch_run run;

	if (!way || !way->entry || !is_wanted_here())
		return 0;
	fetch_start(&run, context, way->entry - 1, return_at);
	(void)fetch(&run, of_kernel);
	if (fetch_keep_entry(&run, number))
		__sync_fetch_and_add(&lost, 1);
	return 0;
}

static __always_inline __u64 stack_pointer(void *regs)
{
	return ARCH_SP((const bpf_user_pt_regs_t *)regs);
}

SEC("uprobe.s")
int on_place(void *context)
{
	return take(context, 0, false);
}

/* A call begins of which the return asks for arguments, or how long it took. */
SEC("uprobe.s")
int on_begin(void *context)
{
	return begin(context, stack_pointer(context) + ARCH_CALL_PUSHES, false);
}

/* It has returned. */
SEC("uprobe.s")
int on_return(void *context)
{
	return take(context, stack_pointer(context), false);
}

/* It is about to return, or to jump to another function. */
SEC("uprobe.s")
int on_exit(void *context)
{
	return take(context, stack_pointer(context) + ARCH_CALL_PUSHES, false);
}

SEC("kprobe")
int on_enter(void *context)
{
	return enter_call(context);
}

SEC("uprobe.s")
int on_leave(void *context)
{
	return leave_call(context) ? take(context, stack_pointer(context) + ARCH_CALL_PUSHES, false)
				   : 0;
}

SEC("kprobe")
int on_kernel(void *context)
{
	return take(context, 0, true);
}

SEC("kprobe")
int on_kernel_begin(void *context)
{
	return begin(context, 0, true);
}

SEC("tp")
int on_tracepoint(void *context)
{
	return take(context, 0, true);
}
