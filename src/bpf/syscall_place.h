/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a thread is that sleeps or is stopped when tracing begins: user space reads its stack. In
 * place of copies, behind a struct syscall_line with `place`. */
#ifndef BPF_SYSCALL_PLACE_H
#define BPF_SYSCALL_PLACE_H

#include <linux/types.h>

#include "bpf/arch/registers.h"

struct syscall_place {
	__u64 stack_top; /* of the main thread */
	__u64 sp;
	__u64 in_syscall; /* the pc is where a call returns to */
	__u64 reg[CPU_REGISTERS];
};

#endif
