/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bpf/probe_values.bpf.c shares with user space. */
#ifndef BPF_PROBE_VALUES_H
#define BPF_PROBE_VALUES_H

#include <linux/types.h>

#define PROBE_VALUES_MAX 65536 /* different values; further ones are lost, and counted */

/* The slot of a number is that of its highest bit; of a negative one so many more than of what it
 * is without the sign. */
#define PROBE_VALUE_NEGATIVE 64u

/* What becomes of the values that a fetch program delivers. */
struct probe_values_way {
	__u32 collection; /* they are counted in it, with those of other programs */
	__u32 histogram;  /* value[0] is counted by its slot */
	__u32 is_signed;  /* it is a number with a sign */
	__u32 unused;
};

#endif
