/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of a thread that are added to their sum together: those of one number, of similar lengths,
 * that did not wait and did not fail. They are kept with the thread, so that most calls need no map
 * of sums. */
#ifndef BPF_SYSCALL_RECENT_H
#define BPF_SYSCALL_RECENT_H

#include <stdbool.h>

#include "bpf/kernel.h"
#include "bpf/syscall_length.bpf.h"

#define RECENT_CALLS   8u /* numbers at a time: a power of two */
#define RECENT_BUCKETS 8u
#define RECENT_MOST    (1u << 30) /* no counter overflows */

struct recent_calls {
	__u32 call, calls;
	__u64 total_ns, min_ns, max_ns; /* of timed ones */
	__u32 timed, first_bucket;
	__u32 bucket[RECENT_BUCKETS];
};

static __always_inline __u64 recent_place(__u32 call)
{
	__u64 place = call ^ call >> 3 ^ call >> 6;

	__asm__ volatile("" : "+r"(place));
	return place & (RECENT_CALLS - 1);
}

/* Whether it can be added without flushing what is there. */
static __always_inline bool recent_has_room(const struct recent_calls *recent, __u32 call,
					    bool timed, __u64 bucket)
{
	return !recent->calls ||
	       (recent->call == call && recent->calls < RECENT_MOST && !recent->timed == !timed &&
		(!timed || bucket - recent->first_bucket < RECENT_BUCKETS));
}

static __always_inline void recent_add(struct recent_calls *recent, __u32 call, bool timed,
				       __u64 ns)
{
	__u64 bucket = timed ? syscall_length_bucket(ns) : 0;

	if (!recent->calls) {
		recent->call = call;
		recent->timed = 0;
		recent->total_ns = recent->max_ns = 0;
		recent->min_ns = UINT64_MAX;
		recent->first_bucket = bucket > RECENT_BUCKETS / 2 ? bucket - RECENT_BUCKETS / 2
								   : 0;
		__builtin_memset(recent->bucket, 0, sizeof(recent->bucket));
	}
	recent->calls++;
	if (!timed)
		return;
	recent->timed++;
	recent->total_ns += ns;
	if (ns < recent->min_ns)
		recent->min_ns = ns;
	if (ns > recent->max_ns)
		recent->max_ns = ns;
	bucket -= recent->first_bucket;
	__asm__ volatile("" : "+r"(bucket));
	recent->bucket[bucket & (RECENT_BUCKETS - 1)]++;
}

/* Calls are more than zero. */
static __always_inline void recent_move(const struct recent_calls *recent, struct syscall_sum *sum)
{
	sum->calls += recent->calls;
	if (!recent->timed)
		return;
	sum->total_ns += recent->total_ns;
	if (recent->min_ns < sum->min_ns || !sum->timed)
		sum->min_ns = recent->min_ns;
	if (recent->max_ns > sum->max_ns)
		sum->max_ns = recent->max_ns;
	sum->timed += recent->timed;
	for (__u64 i = 0; i < RECENT_BUCKETS; i++) {
		__u64 place = recent->first_bucket + i;

		__asm__ volatile("" : "+r"(place));
		if (place >= SYSCALL_BUCKETS)
			break;
		sum->bucket[place] = UINT32_MAX - sum->bucket[place] < recent->bucket[i]
					     ? UINT32_MAX
					     : sum->bucket[place] + recent->bucket[i];
	}
}

#endif
