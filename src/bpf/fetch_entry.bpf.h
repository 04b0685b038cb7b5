/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a fetch program at a call's return asks of its beginning: values that were stored then, and
 * how long it is ago. A call is known by its thread and by where its return address lies, one of
 * the kernel by the thread alone. Calls that longjmp(3) or an exception left are forgotten. */
#ifndef BPF_FETCH_ENTRY_BPF_H
#define BPF_FETCH_ENTRY_BPF_H

#include <stdbool.h>

#include "bpf/fetch.h"
#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

struct fetch_call {
	__u64 return_at; /* 0 = of the kernel */
	__u32 tid, number;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* set before loading */
	__type(key, struct fetch_call);
	__type(value, struct fetch_entry);
} fetch_entries SEC(".maps");

_Static_assert(__builtin_offsetof(struct fetch_entry, value) ==
		       __builtin_offsetof(struct fetch_result, value),
	       "a result begins with an entry");

static __always_inline struct fetch_call fetch_call_of(__u64 return_at, __u32 number)
{
	struct fetch_call call = { return_at, (__u32)bpf_get_current_pid_tgid(), number };

	if (!call.tid) /* that of an idle CPU */
		call.return_at = 1 + bpf_get_smp_processor_id();
	return call;
}

static __always_inline bool fetch_has_entry(__u64 return_at, __u32 number)
{
	struct fetch_call call = fetch_call_of(return_at, number);

	return bpf_map_lookup_elem(&fetch_entries, &call);
}

/* The result of the program at the beginning; number: of that at the return. */
static __always_inline long fetch_keep_entry(struct fetch_run *run, __u32 number)
{
	struct fetch_call call = fetch_call_of(run->return_at, number);

	run->result.value[FETCH_ENTRY_MAX] = bpf_ktime_get_ns();
	return bpf_map_update_elem(&fetch_entries, &call, &run->result, BPF_ANY);
}

static __always_inline void fetch_forget_entry(__u64 return_at, __u32 number)
{
	struct fetch_call call = fetch_call_of(return_at, number);

	bpf_map_delete_elem(&fetch_entries, &call);
}

static __always_inline __u64 fetch_of_entry(struct fetch_run *run, __u32 which)
{
	struct fetch_call call = fetch_call_of(run->return_at, run->result.number);
	const struct fetch_entry *entry = bpf_map_lookup_elem(&fetch_entries, &call);

	if (!entry) {
		run->fault = 1;
		return 0;
	}
	if (which == FETCH_LATENCY)
		return bpf_ktime_get_ns() - entry->value[FETCH_ENTRY_MAX];
	which = (which - FETCH_ENTRY) & (FETCH_VALUES - 1);
	if (entry->faults >> which & 1)
		run->fault = 1;
	return entry->value[which];
}

#endif
