/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts how often values of arguments and results occur at places in programs. Where it is
 * attached, the cookie is the number of the fetch program. */
#include <stdbool.h>

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
	__type(value, __u64);
} occurrences SEC(".maps");

/* By number; user space fills it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set before loading */
	__type(key, __u32);
	__type(value, struct probe_values_way);
} ways SEC(".maps");

__u64 lost; /* there was no room for another value */

static __always_inline void count(const struct fetch_result *result)
{
	__u64 one = 1, *known = bpf_map_lookup_elem(&occurrences, result);

	if (!known) {
		if (!bpf_map_update_elem(&occurrences, result, &one, BPF_NOEXIST))
			return;
		known = bpf_map_lookup_elem(&occurrences, result); /* another CPU was faster */
	}
	if (known)
		__sync_fetch_and_add(known, 1);
	else
		__sync_fetch_and_add(&lost, 1);
}

static __always_inline __u64 slot_of(__u64 value, bool is_signed)
{
	return is_signed && (__s64)value < 0 ? PROBE_VALUE_NEGATIVE + log2_of(-value)
					     : log2_of(value);
}

static __always_inline int take(void *context)
{
	struct fetch_run run;
	const struct probe_values_way *way;

	if (!is_wanted_here() || !fetch(context, (__u32)bpf_get_attach_cookie(context), &run))
		return 0;
	way = bpf_map_lookup_elem(&ways, &run.result.number);
	if (!way)
		return 0;
	run.result.number = way->collection;
	if (way->histogram)
		run.result.value[0] = slot_of(run.result.value[0], way->is_signed);
	count(&run.result);
	return 0;
}

SEC("uprobe.s")
int on_place(void *context)
{
	return take(context);
}

SEC("kprobe")
int on_enter(void *context)
{
	return enter_call(context);
}

SEC("uprobe.s")
int on_leave(void *context)
{
	return leave_call(context) ? take(context) : 0;
}
