/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for walks of programs that may be preempted on their CPU, as those at places in programs:
 * each CPU has a slot, and there are spare ones for all. `memories` and `caches` have an entry for
 * each slot. */
#ifndef BPF_WALK_SLOT_BPF_H
#define BPF_WALK_SLOT_BPF_H

#include "bpf/cpu_state.bpf.h"
#include "bpf/subprogram.bpf.h"
#include "bpf/walk/walk_slot.h"

struct walk_slot {
	__u32 users; /* that have it or are looking; who finds itself alone has it */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPUs and spares */
	__type(key, __u32);
	__type(value, struct walk_slot);
} walk_slots SEC(".maps");

/* Set before loading. */
const volatile __u32 slot_cpus;

static __always_inline bool try_slot(__u32 number)
{
	struct walk_slot *slot = bpf_map_lookup_elem(&walk_slots, &number);

	if (!slot)
		return false;
	__sync_fetch_and_add(&slot->users, 1);
	if (UNWIND_LOAD(slot->users) == 1)
		return true;
	__sync_fetch_and_add(&slot->users, -1);
	return false;
}

/* Negative: all that may be used are in use. */
SUBPROGRAM int take_slot(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	if (try_slot(cpu))
		return (int)cpu;
	for (__u32 i = 0; i < WALK_SPARE_SLOTS; i++)
		if (try_slot(slot_cpus + i))
			return (int)(slot_cpus + i);
	return -1;
}

static __always_inline void leave_slot(__u32 number)
{
	struct walk_slot *slot = bpf_map_lookup_elem(&walk_slots, &number);

	if (slot)
		__sync_fetch_and_add(&slot->users, -1);
}

#endif
