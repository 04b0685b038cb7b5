/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many turns of one function. Kernels from 5.17 on have bpf_loop() for that. Older ones follow a
 * loop turn by turn when they verify it, so all but a few instructions of a turn must be a global
 * function there, which is verified once. */
#ifndef BPF_LOOP_BPF_H
#define BPF_LOOP_BPF_H

#include "bpf/kernel.h"

#include <bpf/bpf_core_read.h>

#define HAS_BPF_LOOP bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_loop)

/* What a turn returns, out of what a function returned: the compiler knows less of it than it may,
 * so that the verifier sees that it is 0 or 1. */
static __always_inline long turn_over(long over)
{
	__asm__ volatile("" : "+r"(over));
	return over & 1;
}

/* Calls turn(i, context) for i in [0, times) until it returns other than 0. */
#define LOOP(times, turn, context)                                            \
	do {                                                                  \
		if (HAS_BPF_LOOP)                                             \
			bpf_loop(times, turn, context, 0);                    \
		else                                                          \
			for (__u32 turn_nr = 0; turn_nr < (times); turn_nr++) \
				if (turn(turn_nr, context))                   \
					break;                                \
	} while (0)

#endif
