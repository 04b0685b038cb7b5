/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU-specific part of disassembly. One file per CPU in symbol/code/arch/, one line in the table of
 * disassembler.c. Private to symbol/code. */
#ifndef SYMBOL_CODE_ARCH_H
#define SYMBOL_CODE_ARCH_H

#include <capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/code/disassembler.h"

/* The functions of capstone in use, named as there. */
struct capstone {
	typeof(cs_open) *cs_open;
	typeof(cs_close) *cs_close;
	typeof(cs_option) *cs_option;
	typeof(cs_malloc) *cs_malloc;
	typeof(cs_free) *cs_free;
	typeof(cs_disasm_iter) *cs_disasm_iter;
	typeof(cs_insn_name) *cs_insn_name;
};

struct decoded {
	const struct capstone *capstone;
	csh handle;
	const cs_insn *insn; /* with details */
	bool intel;
};

struct code_arch {
	uint16_t machine; /* EM_* */
	cs_arch arch;
	cs_mode mode;
	/* Length of an instruction that capstone does not know, from 1 to len. */
	size_t (*length)(const uint8_t *bytes, size_t len);
	/* Optional: whether the first byte is shown as one instruction with what follows. */
	bool (*joins)(const uint8_t *bytes, size_t len);
	/* Fills target, data and text; everything else is set. */
	void (*describe)(const struct decoded *decoded, struct instruction *ret);
	/* Fills an operand in memory, of which nothing is set; NULL = not known for this CPU. */
	void (*memory)(const struct decoded *decoded, struct instruction_memory *ret);
};

void x86_64_memory(const struct decoded *decoded, struct instruction_memory *ret);

extern const struct code_arch code_arch_aarch64, code_arch_i386, code_arch_x86_64;

/* Whether the instruction is in a group, CS_GRP_*. */
static inline bool decoded_has_group(const struct decoded *decoded, uint8_t group)
{
	const cs_detail *detail = decoded->insn->detail;

	for (uint8_t i = 0; i < detail->groups_count; i++)
		if (detail->groups[i] == group)
			return true;
	return false;
}

#endif
