/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64: the start of the kernel's struct pt_regs, which its headers for user space do not have
 * (arch/arm64/include/asm/ptrace.h). The first four members are struct user_pt_regs. */
#ifndef BPF_ARCH_AARCH64_REGISTERS_H
#define BPF_ARCH_AARCH64_REGISTERS_H

#include <linux/types.h>

struct pt_regs {
	__u64 regs[31];
	__u64 sp, pc, pstate;
	__u64 orig_x0;
	__s32 syscallno; /* of a little-endian kernel */
	__u32 unused;
};

/* Of struct pt_regs, or of a program's context. */
#define ARCH_PC(r)     ((r)->pc)
#define ARCH_SP(r)     ((r)->sp)
#define ARCH_BP(r)     ((r)->regs[29])
#define ARCH_CALL(r)   ((__u64)(__s64)(r)->syscallno)
#define ARCH_RESULT(r) ((r)->regs[0])
#define ARCH_ARG0(r)   ((r)->regs[0])
#define ARCH_ARG1(r)   ((r)->regs[1])
#define ARCH_ARG2(r)   ((r)->regs[2])

/* Bytes that a call puts on the stack. */
#define ARCH_CALL_PUSHES 0

/* Words of struct pt_regs by DWARF number, and DWARF numbers of what the ABI passes in them. */
#define FETCH_REGISTERS                                                                           \
	{                                                                                         \
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
			23, 24, 25, 26, 27, 28, 29, 30, 31, 32                                    \
	}
/* Names of those words in tracefs. */
#define FETCH_REGISTER_NAMES                                                                     \
	{                                                                                        \
		"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", \
			"x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22",    \
			"x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp", "pc",      \
			"pstate"                                                                 \
	}
#define FETCH_ARGUMENTS                \
	{                              \
		0, 1, 2, 3, 4, 5, 6, 7 \
	}
#define FETCH_SP     31 /* by DWARF number */
#define FETCH_RESULT 0
#define FETCH_PC     32

#define CPU_REGISTERS 33 /* perf's order, see source/arch.h: sample_registers_unwind */

#endif
