/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of calls, as the programs of probe_times.bpf.c sum them up. */
#ifndef BPF_PROBE_TIMES_H
#define BPF_PROBE_TIMES_H

#include <linux/types.h>

#define PROBE_TIME_SLOTS 64

/* Only grows. Slots are powers of two: 0 and 1, 2 and 3, 4 to 7…; or steps: what is shorter than
 * the first, the steps, and in the last slot what is longer. */
struct probe_times {
	__u64 calls;	/* that began */
	__u64 returned; /* these are in what follows */
	__u64 total_ns;
	__u64 slot[PROBE_TIME_SLOTS];
};

#endif
