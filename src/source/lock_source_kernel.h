/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes in the kernel's functions that take mutexes and semaphores and let them go, for the source
 * "lock" (bpf/lock/lock_kernel_hold.bpf.h). */
#ifndef SOURCE_LOCK_SOURCE_KERNEL_H
#define SOURCE_LOCK_SOURCE_KERNEL_H

#include "source/probe/probe_choice.h"
#include "source/probe/probe_links.h"

struct err;
struct lock_bpf;

struct lock_kernel_hold {
	struct probe_choice take, let_go;
	struct probe_links links;
};

/* Before loading: the programs for it are loaded if it is wanted. */
void lock_kernel_hold_configure(struct lock_kernel_hold *hold, struct lock_bpf *program,
				bool wanted);
/* Fails if this kernel can probe none of them. */
int lock_kernel_hold_attach(struct lock_kernel_hold *hold, const struct lock_bpf *program,
			    struct err *err);
/* After lock_kernel_hold_configure(). */
void lock_kernel_hold_close(struct lock_kernel_hold *hold);

#endif
