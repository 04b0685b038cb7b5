/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of waits by lock, waiter and holder. */
#ifndef BPF_LOCK_SUMS_BPF_H
#define BPF_LOCK_SUMS_BPF_H

#include "bpf/lock/lock_thread.bpf.h"
#include "bpf/subprogram.bpf.h"

/* Two by turns: one is added to while user space empties the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, struct lock_sum_key);
	__type(value, struct lock_sum);
} sums SEC(".maps"), odd_sums SEC(".maps");

volatile __u32 odd_turn;
__u64 lost_waits; /* that found no room for a sum */

/* Set before loading. */
const volatile __u64 least_ns;	  /* shorter waits are left out */
const volatile __u64 lock_wanted; /* address; 0 = any */

static __always_inline struct lock_sum *sum_in(void *map, const struct lock_sum_key *key)
{
	static const struct lock_sum none;
	struct lock_sum *sum = bpf_map_lookup_elem(map, key);

	if (sum)
		return sum;
	(void)bpf_map_update_elem(map, key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

static __always_inline __u64 bucket_of(__u64 ns)
{
	__u64 units = ns >> LOCK_BUCKET_SHIFT;
	__u32 log2 = log2_of(units);
	__u64 bucket = log2 ? 2 * log2 - 1 + (units >> (log2 - 1) & 1) : 0;

	return bucket < LOCK_BUCKETS ? bucket : LOCK_BUCKETS - 1;
}

/* Adds a wait of ns. */
SUBPROGRAM int add_wait(struct lock_open *open, __u64 ns, __u64 delay_ns, __u64 end_ns)
{
	struct lock_sum_key key;
	struct lock_sum *sum;
	__u64 bucket = bucket_of(ns);

	if (!open || ns < least_ns || (lock_wanted && open->key.lock != lock_wanted))
		return 0;
	key = open->key; /* a copy: old kernels take no key from a storage */
	sum = odd_turn ? sum_in(&odd_sums, &key) : sum_in(&sums, &key);
	if (!sum) {
		__sync_fetch_and_add(&lost_waits, 1);
		return 0;
	}
	/* Only the waiter's own CPU writes it: the tid is in the key. */
	if (!sum->first_ns)
		sum->first_ns = open->since_ns;
	sum->last_ns = end_ns;
	sum->ns += ns;
	sum->count++;
	if (ns > sum->max_ns)
		sum->max_ns = ns;
	sum->delay_ns += delay_ns;
	sum->again += open->again;
	sum->together += open->together;
	if (open->handed)
		sum->handed_ns += ns;
	if (open->owner_is_known)
		for (__u32 i = 0; i < LEDGER_ACCOUNTS; i++)
			sum->holder_ns[i] += open->owner_ns[i];
	UNWIND_OPAQUE(bucket);
	sum->bucket[bucket & (LOCK_BUCKETS - 1)]++;
	return 0;
}

#endif
