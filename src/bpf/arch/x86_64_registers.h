/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64: the kernel's own header has struct pt_regs. */
#ifndef BPF_ARCH_X86_64_REGISTERS_H
#define BPF_ARCH_X86_64_REGISTERS_H

#include <asm/ptrace.h>

/* Of struct pt_regs, or of a program's context. */
#define ARCH_PC(r)   ((r)->rip)
#define ARCH_SP(r)   ((r)->rsp)
#define ARCH_BP(r)   ((r)->rbp)
#define ARCH_CALL(r) ((r)->orig_rax)
#define ARCH_ARG0(r) ((r)->rdi)

#define CPU_REGISTERS 20 /* perf's order, see source/arch.h: sample_registers_unwind */

#endif
