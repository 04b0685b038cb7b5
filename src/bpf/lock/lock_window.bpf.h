/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory around a futex word of another thread than the current one, which a program that may sleep
 * has copied. Include it before bpf/wait/futex.bpf.h, which then reads there. */
#ifndef BPF_LOCK_WINDOW_BPF_H
#define BPF_LOCK_WINDOW_BPF_H

#include <linux/types.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define LOCK_WINDOW_BEFORE 64u	/* bytes in front of the word */
#define LOCK_WINDOW_BYTES  128u /* a power of two */
#define LOCK_WINDOW_MOST   64u	/* that are read at once */

/* One: the iterator over threads fills it for one at a time. The address of the first byte that is
 * there, their number, and they. */
__u64 lock_window_start, lock_window_bytes;
__u8 lock_window[LOCK_WINDOW_BYTES + LOCK_WINDOW_MOST];

static __always_inline long read_lock_window(void *to, __u32 size, __u64 from)
{
	__u64 place = from - lock_window_start;

	if (size > LOCK_WINDOW_MOST || place + size > lock_window_bytes || place > place + size)
		return -1;
	__asm__ volatile("" : "+r"(place)); /* the verifier is to see the mask */
	return bpf_probe_read_kernel(to, size, lock_window + (place & (LOCK_WINDOW_BYTES - 1)));
}

#define FUTEX_READ(wait, to, size, from)                     \
	((wait)->standing ? read_lock_window(to, size, from) \
			  : bpf_probe_read_user(to, size, (void *)(from)))

#endif
