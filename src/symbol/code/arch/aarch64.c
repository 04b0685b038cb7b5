// SPDX-License-Identifier: GPL-2.0-or-later
/* arm64 instructions: four bytes each. A branch has its target as the last operand, adr and adrp
 * the address (see code_arch.h). */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "symbol/code/code_arch.h"

static size_t length(const uint8_t *bytes, size_t len)
{
	(void)bytes;
	return len < 4 ? len : 4;
}

/* Cuts the last operand off: "x0, #0x1234" → "x0, ". */
static void cut_last(char *operands)
{
	char *comma = strrchr(operands, ',');

	if (!comma)
		operands[0] = '\0';
	else if (comma[1])
		comma[2] = '\0';
}

static void describe(const struct decoded *decoded, struct instruction *ret)
{
	const cs_arm64 *detail = &decoded->insn->detail->arm64;
	const cs_arm64_op *last = detail->op_count ? &detail->operands[detail->op_count - 1] : NULL;
	bool branch = ret->kind == INSTRUCTION_JUMP || ret->kind == INSTRUCTION_CALL;

	(void)snprintf(ret->mnemonic, sizeof(ret->mnemonic), "%s", decoded->insn->mnemonic);
	(void)snprintf(ret->operands, sizeof(ret->operands), "%s", decoded->insn->op_str);
	if (decoded->insn->id == ARM64_INS_BL || decoded->insn->id == ARM64_INS_BLR)
		ret->kind = INSTRUCTION_CALL; /* capstone 4 has no group for it */
	if (!last || last->type != ARM64_OP_IMM)
		return;
	if (branch) {
		ret->has_target = true;
		ret->target = (uint64_t)last->imm;
		cut_last(ret->operands);
	} else if (decoded->insn->id == ARM64_INS_ADR || decoded->insn->id == ARM64_INS_ADRP) {
		ret->has_data = true;
		ret->data = (uint64_t)last->imm;
	}
}

/* PERF_REG_ARM64_*: x0 to x29, then lr and sp. */
static int16_t register_number(unsigned reg)
{
	if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28)
		return (int16_t)(reg - ARM64_REG_X0);
	if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30)
		return (int16_t)(reg - ARM64_REG_W0);
	return reg == ARM64_REG_X29   ? 29
	       : reg == ARM64_REG_X30 ? 30
	       : reg == ARM64_REG_SP  ? 31
				      : INSTRUCTION_NO_REGISTER;
}

static void memory(const struct decoded *decoded, struct instruction_memory *ret)
{
	const cs_arm64 *detail = &decoded->insn->detail->arm64;

	for (uint8_t i = 0; i < detail->op_count; i++) {
		const cs_arm64_op *op = &detail->operands[i];

		if (op->type != ARM64_OP_MEM || ret->found)
			continue;
		ret->found = true;
		ret->base = register_number(op->mem.base);
		ret->index = register_number(op->mem.index);
		ret->scale = op->shift.type == ARM64_SFT_LSL
				     ? (uint8_t)(1u << (op->shift.value & 7))
				     : 1;
		ret->displacement = op->mem.disp;
		ret->reads = decoded->insn->mnemonic[0] == 'l';
		ret->writes = !ret->reads;
		/* Half a register as index, or a base that the instruction moves. */
		ret->foreign = detail->writeback || op->ext != ARM64_EXT_INVALID;
	}
	for (uint8_t i = 0; ret->reads && i < detail->op_count; i++) {
		const cs_arm64_op *op = &detail->operands[i];
		int16_t reg = op->type == ARM64_OP_REG ? register_number(op->reg)
						       : INSTRUCTION_NO_REGISTER;

		if (reg >= 0 && (reg == ret->base || reg == ret->index)) {
			ret->overwritten = true;
			ret->loads = reg;
		}
	}
}

const struct code_arch code_arch_aarch64 = {
	.machine = EM_AARCH64,
	.arch = CS_ARCH_ARM64,
	.mode = CS_MODE_LITTLE_ENDIAN,
	.length = length,
	.describe = describe,
	.memory = memory,
};
