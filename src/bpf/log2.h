/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A logarithm for histograms, compiled for BPF and for user space. */
#ifndef BPF_LOG2_H
#define BPF_LOG2_H

#include <linux/types.h>

/* The number of the highest bit that is set; 0 for 0. Clang 14 has no such instruction for BPF, and
 * each branch would double the paths that the verifier goes from there: so the bits below the
 * highest are set, and counted. */
static inline __u32 log2_of(__u64 value)
{
	value |= value >> 1;
	value |= value >> 2;
	value |= value >> 4;
	value |= value >> 8;
	value |= value >> 16;
	value |= value >> 32;
	value >>= 1;
	value -= value >> 1 & 0x5555555555555555ULL;
	value = (value & 0x3333333333333333ULL) + (value >> 2 & 0x3333333333333333ULL);
	value = (value + (value >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return value * 0x0101010101010101ULL >> 56;
}

#endif
