/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of x86-64 samples. ABI: arch/x86/include/uapi/asm/perf_regs.h. */
#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <stddef.h>

#include "source/arch.h"

#define BIT(reg) (1ULL << (reg))

const struct sample_register sample_registers[] = {
	{ "AX", PERF_REG_X86_AX },	 { "BX", PERF_REG_X86_BX },   { "CX", PERF_REG_X86_CX },
	{ "DX", PERF_REG_X86_DX },	 { "SI", PERF_REG_X86_SI },   { "DI", PERF_REG_X86_DI },
	{ "BP", PERF_REG_X86_BP },	 { "SP", PERF_REG_X86_SP },   { "IP", PERF_REG_X86_IP },
	{ "FLAGS", PERF_REG_X86_FLAGS }, { "CS", PERF_REG_X86_CS },   { "SS", PERF_REG_X86_SS },
	{ "R8", PERF_REG_X86_R8 },	 { "R9", PERF_REG_X86_R9 },   { "R10", PERF_REG_X86_R10 },
	{ "R11", PERF_REG_X86_R11 },	 { "R12", PERF_REG_X86_R12 }, { "R13", PERF_REG_X86_R13 },
	{ "R14", PERF_REG_X86_R14 },	 { "R15", PERF_REG_X86_R15 }, { NULL, 0 },
};

/* The kernel refuses DS, ES, FS and GS: they are not saved on entry. */
const uint64_t sample_registers_all = (BIT(PERF_REG_X86_64_MAX) - 1) &
				      ~(BIT(PERF_REG_X86_DS) | BIT(PERF_REG_X86_ES) |
					BIT(PERF_REG_X86_FS) | BIT(PERF_REG_X86_GS));

/* perf unwinds only with the full set, so samples carry it. */
const uint64_t sample_registers_unwind = (BIT(PERF_REG_X86_64_MAX) - 1) &
					 ~(BIT(PERF_REG_X86_DS) | BIT(PERF_REG_X86_ES) |
					   BIT(PERF_REG_X86_FS) | BIT(PERF_REG_X86_GS));

const unsigned sample_register_sp = PERF_REG_X86_SP;

const uint64_t fixed_program_start = 0x555555554000;

#define FAULT_PRESENT 1
#define FAULT_WRITE   2
#define FAULT_FETCH   16

uint64_t sample_fault_source(uint64_t code)
{
	union perf_mem_data_src src = {
		.mem_op = code & FAULT_WRITE   ? PERF_MEM_OP_STORE
			  : code & FAULT_FETCH ? PERF_MEM_OP_EXEC
					       : PERF_MEM_OP_LOAD,
		.mem_lvl = PERF_MEM_LVL_NA,
		.mem_snoop = PERF_MEM_SNOOP_NA,
		.mem_lock = PERF_MEM_LOCK_NA,
	};

	src.mem_dtlb = code & FAULT_PRESENT ? PERF_MEM_TLB_OS | PERF_MEM_TLB_HIT
					    : PERF_MEM_TLB_OS | PERF_MEM_TLB_MISS;
	return src.val;
}
