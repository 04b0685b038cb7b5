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

const struct code_arch code_arch_aarch64 = {
	.machine = EM_AARCH64,
	.arch = CS_ARCH_ARM64,
	.mode = CS_MODE_LITTLE_ENDIAN,
	.length = length,
	.describe = describe,
};
