/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of system calls by thread, stack and number. A stand keeps calls of similar lengths that
 * waited for nothing, and adds them to their sum together. */
#ifndef BPF_CALL_SUMS_BPF_H
#define BPF_CALL_SUMS_BPF_H

#include "bpf/off_cpu/thread.bpf.h"
#include "bpf/syscall_length.bpf.h"

#define CALLS_KEPT_NS 100000000u

__u64 lost_calls; /* that found no room for a sum */

/* Two by turns, as for sums of waits. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct off_cpu_call_key);
	__type(value, struct off_cpu_call_sum);
} call_sums SEC(".maps"), odd_call_sums SEC(".maps");

volatile __u32 odd_call_turn;

static __always_inline struct off_cpu_call_sum *call_sum_in(void *map,
							    const struct off_cpu_call_key *key)
{
	static const struct off_cpu_call_sum none;
	struct off_cpu_call_sum *sum = bpf_map_lookup_elem(map, key);

	if (sum)
		return sum;
	(void)bpf_map_update_elem(map, key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

static __always_inline struct off_cpu_call_sum *call_sum_of(const struct off_cpu_call_key *from)
{
	struct off_cpu_call_key key = *from; /* old kernels take no key from a storage */
	struct off_cpu_call_sum *sum = odd_call_turn ? call_sum_in(&odd_call_sums, &key)
						     : call_sum_in(&call_sums, &key);

	return sum;
}

SUBPROGRAM int flush_calls(struct pending_calls *pending)
{
	struct off_cpu_call_sum *sum;

	if (!pending || !pending->calls)
		return 0;
	sum = call_sum_of(&pending->key);
	if (sum) {
		sum->last_ns = pending->last_ns;
		sum->ns[LEDGER_RUNNING] += pending->ns;
		for (__u64 i = 0; i < CALL_PENDING_BUCKETS; i++) {
			__u64 place = pending->first_bucket + i;

			UNWIND_OPAQUE(place);
			if (place < SYSCALL_BUCKETS)
				sum->bucket[place] += pending->bucket[i];
		}
	} else {
		__sync_fetch_and_add(&lost_calls, pending->calls);
	}
	pending->calls = 0;
	return 0;
}

/* Adds what the open call has waited for, and the rest of ns as time on a CPU. */
static __always_inline struct off_cpu_call_sum *add_call_times(struct open_call *call, __u64 ns)
{
	struct off_cpu_call_sum *sum = call_sum_of(&call->key);

	if (!sum) {
		__sync_fetch_and_add(&lost_calls, 1);
		return NULL;
	}
	sum->last_ns = call->since_ns;
	if (call->waits)
		for (__u32 i = LEDGER_WOKEN; i < LEDGER_ACCOUNTS; i++) {
			sum->ns[i] += call->wait_ns[i];
			ns -= call->wait_ns[i];
		}
	if ((__s64)ns > 0)
		sum->ns[LEDGER_RUNNING] += ns;
	return sum;
}

/* A call that is no wait, and may be added to its sum together with others. False: it may not. */
static __always_inline bool keep_call(struct pending_calls *pending, const struct open_call *call,
				      __u64 ns)
{
	__u64 bucket = syscall_length_bucket(ns), place;

	if (call->waits || call->key.raw)
		return false;
	place = bucket - pending->first_bucket;
	if (pending->calls &&
	    (place >= CALL_PENDING_BUCKETS || pending->key.stack != call->key.stack ||
	     call->since_ns - pending->first_ns > CALLS_KEPT_NS))
		(void)flush_calls(pending);
	if (!pending->calls) {
		pending->key = call->key;
		pending->first_ns = call->since_ns;
		pending->ns = 0;
		pending->first_bucket =
			bucket > CALL_PENDING_BUCKETS / 2 ? bucket - CALL_PENDING_BUCKETS / 2 : 0;
		__builtin_memset(pending->bucket, 0, sizeof(pending->bucket));
		place = bucket - pending->first_bucket;
	}
	UNWIND_OPAQUE(place);
	pending->bucket[place & (CALL_PENDING_BUCKETS - 1)]++;
	pending->calls++;
	pending->ns += ns;
	pending->last_ns = call->since_ns;
	return true;
}

/* Its stand, if there is one. */
static __always_inline struct pending_calls *pending_of(struct thread *thread, __u64 stand)
{
	UNWIND_OPAQUE(stand);
	return &thread->stand[stand & (OFF_CPU_STANDS - 1)].pending;
}

#endif
