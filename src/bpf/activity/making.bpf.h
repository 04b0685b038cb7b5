/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The activity that a program fills in. Each CPU has memory for a few of them, because a program
 * may be interrupted by another one. */
#ifndef BPF_ACTIVITY_MAKING_BPF_H
#define BPF_ACTIVITY_MAKING_BPF_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/kernel.h"

#include "event/activity.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#include "bpf/subprogram.bpf.h"
#include "bpf/thread_filter.bpf.h"

#define NESTED 3 /* programs on one CPU, each interrupting the one before */

/* Set before loading. */
const volatile struct activity_rules rules;

__u64 lost;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} activities SEC(".maps");

/* Two, used in turn: programs add to one while user space empties the other. User space shortens
 * the key to what the tool needs. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(struct activity_key));
	__uint(value_size, sizeof(struct activity_sum));
} sums SEC(".maps"), odd_sums SEC(".maps");

volatile __u32 odd_turn;

struct making {
	struct activity activity;
	struct activity_key key;
};

struct scratch {
	__u32 depth;
	struct making making[NESTED];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

/* An empty one, that must be given back. NULL: there is none. */
static __always_inline struct activity *begin_activity(__u32 kind)
{
	const __u32 zero = 0;
	struct scratch *here = bpf_map_lookup_elem(&scratch, &zero);
	struct activity *activity;
	__u64 place;

	if (!here)
		return NULL;
	place = here->depth;
	__asm__ volatile("" : "+r"(place));
	if (place >= NESTED) {
		__sync_fetch_and_add(&lost, 1);
		return NULL;
	}
	here->depth = place + 1;
	activity = &here->making[place].activity;
	__builtin_memset(activity, 0, offsetof(struct activity, text));
	activity->kind = kind;
	activity->count = 1;
	activity->time_ns = bpf_ktime_get_ns();
	return activity;
}

static __always_inline void give_back(void)
{
	const __u32 zero = 0;
	struct scratch *here = bpf_map_lookup_elem(&scratch, &zero);

	if (here && here->depth)
		here->depth--;
}

/* Of the running thread. */
static __always_inline void put_thread(struct activity *to)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();

	to->pid = pid_tgid >> 32;
	to->tid = (__u32)pid_tgid;
	to->uid = (__u32)bpf_get_current_uid_gid();
	bpf_get_current_comm(to->comm, sizeof(to->comm));
}

/* Of the running thread, and what it does is not ours. */
static __always_inline bool is_of_interest(void)
{
	return bpf_get_current_pid_tgid() >> 32 != rules.own_pid && is_wanted_here();
}

#endif
