/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64: the kernel's own header has struct pt_regs. */
#ifndef BPF_ARCH_X86_64_REGISTERS_H
#define BPF_ARCH_X86_64_REGISTERS_H

#include <asm/ptrace.h>

/* Of struct pt_regs, or of a program's context. */
#define ARCH_PC(r)     ((r)->rip)
#define ARCH_SP(r)     ((r)->rsp)
#define ARCH_BP(r)     ((r)->rbp)
#define ARCH_CALL(r)   ((r)->orig_rax)
#define ARCH_RESULT(r) ((r)->rax)
#define ARCH_ARG0(r)   ((r)->rdi)
#define ARCH_ARG1(r)   ((r)->rsi)
#define ARCH_ARG2(r)   ((r)->rdx)

/* Bytes that a call puts on the stack. */
#define ARCH_CALL_PUSHES 8

/* Words of struct pt_regs by DWARF number, and DWARF numbers of what the ABI passes in them. */
#define FETCH_REGISTERS                                                  \
	{                                                                \
		10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16 \
	}
/* Names of those words in tracefs. */
#define FETCH_REGISTER_NAMES                                                                  \
	{                                                                                     \
		"r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax", "cx", \
			"dx", "si", "di", "orig_ax", "ip", "cs", "flags", "sp", "ss"          \
	}
#define FETCH_ARGUMENTS          \
	{                        \
		5, 4, 1, 2, 8, 9 \
	}
#define FETCH_SP     7 /* by DWARF number */
#define FETCH_RESULT 0
#define FETCH_PC     16

#define CPU_REGISTERS 20 /* perf's order, see source/arch.h: sample_registers_unwind */

#endif
