/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lengths of system calls by bucket (event/syscall.h). */
#ifndef BPF_SYSCALL_LENGTH_H
#define BPF_SYSCALL_LENGTH_H

#include "bpf/log2.h"

#include "event/syscall.h"

/* Below SYSCALL_BUCKETS, in a register of which the verifier knows it. */
static __always_inline __u64 syscall_length_bucket(__u64 ns)
{
	__u32 log2 = log2_of(ns);
	__u64 few = ns, bucket;

	/* Linux 6.1 checks the path with ns < 16 also where ns is larger: its bounds contradict. */
	__asm__ volatile("" : "+r"(few));
	few &= 15;
	bucket = ns < 16 ? few : 16 + (log2 - 4) * 4 + (ns >> (log2 - 2) & 3);
	/* The bounds are checked on the register that is the index. */
	__asm__ volatile("" : "+r"(bucket));
	if (bucket > SYSCALL_BUCKETS - 1)
		bucket = SYSCALL_BUCKETS - 1;
	__asm__ volatile("" : "+r"(bucket));
	return bucket;
}

#endif
