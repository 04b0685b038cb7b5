/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of arm64 samples. ABI: arch/arm64/include/uapi/asm/perf_regs.h. */
#include <asm/perf_regs.h>
#include <stddef.h>

#include "source/arch.h"

#define X(n)                                \
	{                                   \
		"X" #n, PERF_REG_ARM64_X##n \
	}

const struct sample_register sample_registers[] = {
	X(0),
	X(1),
	X(2),
	X(3),
	X(4),
	X(5),
	X(6),
	X(7),
	X(8),
	X(9),
	X(10),
	X(11),
	X(12),
	X(13),
	X(14),
	X(15),
	X(16),
	X(17),
	X(18),
	X(19),
	X(20),
	X(21),
	X(22),
	X(23),
	X(24),
	X(25),
	X(26),
	X(27),
	X(28),
	X(29),
	{ "LR", PERF_REG_ARM64_LR },
	{ "SP", PERF_REG_ARM64_SP },
	{ "PC", PERF_REG_ARM64_PC },
	{ NULL, 0 },
};

#define GENERAL ((2ULL << PERF_REG_ARM64_PC) - 1)

const uint64_t sample_registers_all = GENERAL;
const uint64_t sample_registers_unwind = GENERAL;

const unsigned sample_register_sp = PERF_REG_ARM64_SP;

const uint64_t fixed_program_start = 0xaaaaaaaaa000;

/* The kernel has no tracepoint that says it. */
uint64_t sample_fault_source(uint64_t code)
{
	(void)code;
	return 0;
}
