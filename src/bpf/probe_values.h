/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bpf/probe_values.bpf.c shares with user space. */
#ifndef BPF_PROBE_VALUES_H
#define BPF_PROBE_VALUES_H

#include <linux/types.h>

#define PROBE_VALUES_MAX 65536 /* different values; further ones are lost, and counted */

/* The slot of a number is that of its highest bit; of a negative one so many more than of what it
 * is without the sign. */
#define PROBE_VALUE_NEGATIVE 64u
/* With steps: what is below the first one, the steps, and in the last slot what is above. */
#define PROBE_VALUE_STEPS 64u

/* What becomes of the values that a fetch program delivers. */
struct probe_values_way {
	__u32 collection; /* they are counted in it, with those of other programs */
	__u32 histogram;  /* value[0] is counted by its slot */
	__u32 is_signed;  /* it is a number with a sign */
	__u32 entry;	  /* the program at the call's beginning, and one more; 0 = none */
	__u64 unit;	  /* slots are of this many; 0 = 1 */
	__u64 from, step; /* steps of equal size, in units; step 0 = powers of two */
};

struct probe_values_sum {
	__u64 count;
	__u64 total; /* of a histogram's value[0] */
};

#endif
