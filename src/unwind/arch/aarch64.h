/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64 register numbers of DWARF ("DWARF for the Arm 64-bit Architecture", section 4.1). Only
 * constants: BPF includes this. */
#ifndef UNWIND_ARCH_AARCH64_H
#define UNWIND_ARCH_AARCH64_H

#define ARCH_ELF_MACHINE 183 /* EM_AARCH64 */
#define ARCH_DWARF_REGS	 32  /* x0 to x30 and the stack pointer; others are ignored */
#define ARCH_DWARF_BP	 29
#define ARCH_DWARF_LR	 30
#define ARCH_DWARF_SP	 31
/* DWARF's number of the pc, 32, is one more than a mask of 32 bits holds. It has the place of x18,
 * which calls do not keep and no compiler describes. */
#define ARCH_DWARF_PC 18

/* CFA minus stack pointer at a function's first instruction: the return address is in x30. */
#define ARCH_ENTRY_CFA 0
#define ARCH_ENTRY_RULE                                                                         \
	{                                                                                       \
		.cfa = UNWIND_SP, .flags = UNWIND_RA_REG, .cfa_off = 0, .ra_off = ARCH_DWARF_LR \
	}

/* Registers a called function keeps: x19 to x29. */
#define ARCH_CALLEE_SAVED 0x3ff80000u

/* Where stacks end although they could go on, for people; "" = nowhere that is known. */
#define ARCH_STACK_GAPS                                                                           \
	"on arm64 stacks end at return addresses that are signed (PAC), in code without tables, " \
	"and where Go, Java or makecontext() change stacks"

#endif
