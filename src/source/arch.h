/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sampling needs to know about the CPU: the registers that PERF_SAMPLE_REGS_* can carry.
 * Implemented by arch/<cpu>.c. */
#ifndef SOURCE_ARCH_H
#define SOURCE_ARCH_H

#include <stdint.h>

struct sample_register {
	const char *name; /* perf's spelling */
	unsigned bit;	  /* PERF_REG_* */
};

extern const struct sample_register sample_registers[]; /* ends with a NULL name */
extern const uint64_t sample_registers_all;		/* all general registers */
/* Where the kernel puts position-independent programs if their place is not random. */
extern const uint64_t fixed_program_start;
extern const unsigned sample_register_sp;      /* the bit of the stack pointer */
extern const uint64_t sample_registers_unwind; /* what unwinding from a copied stack needs */
/* A page fault's error code in the words for loads and stores, PERF_SAMPLE_DATA_SRC: a translation
 * that was not there (TLB miss), or one that was not for this (hit). 0 = unknown. */
uint64_t sample_fault_source(uint64_t code);

#endif
