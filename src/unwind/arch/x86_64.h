/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64 register numbers of DWARF (psABI 3.6.2, figure 3.36). Only constants: BPF includes this.
 */
#ifndef UNWIND_ARCH_X86_64_H
#define UNWIND_ARCH_X86_64_H

#define ARCH_ELF_MACHINE 62 /* EM_X86_64 */
#define ARCH_DWARF_REGS	 17 /* general registers and the return address; others are ignored */
#define ARCH_DWARF_BP	 6
#define ARCH_DWARF_SP	 7
#define ARCH_DWARF_PC	 16

/* CFA minus stack pointer at a function's first instruction: the return address is pushed. */
#define ARCH_ENTRY_CFA 8
#define ARCH_ENTRY_RULE                                                                \
	{                                                                              \
		.cfa = UNWIND_SP, .cfa_off = ARCH_ENTRY_CFA, .ra_off = -ARCH_ENTRY_CFA \
	}

/* Registers a called function keeps: rbx, rbp, r12–r15. */
#define ARCH_CALLEE_SAVED 0xf048u

/* Where stacks end although they could go on, for people; "" = nowhere that is known. */
#define ARCH_STACK_GAPS ""

#endif
