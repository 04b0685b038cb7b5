// SPDX-License-Identifier: GPL-2.0-or-later
/* Operands in memory of x86-64 instructions (see disassembler.h). */
#include "symbol/code/code_arch.h"

/* PERF_REG_X86_*. Each row: one register by its widths. */
static const struct {
	int16_t number;
	uint16_t reg[5];
} registers[] = {
	{ 0, { X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH } },
	{ 1, { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH } },
	{ 2, { X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH } },
	{ 3, { X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH } },
	{ 4, { X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL } },
	{ 5, { X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL } },
	{ 6, { X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL } },
	{ 7, { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL } },
	{ 16, { X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B } },
	{ 17, { X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B } },
	{ 18, { X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B } },
	{ 19, { X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B } },
	{ 20, { X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B } },
	{ 21, { X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B } },
	{ 22, { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B } },
	{ 23, { X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B } },
};

static int16_t register_number(unsigned reg)
{
	if (reg == X86_REG_INVALID)
		return INSTRUCTION_NO_REGISTER;
	if (reg == X86_REG_RIP)
		return INSTRUCTION_PC;
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		for (size_t k = 0; k < 5; k++)
			if (registers[i].reg[k] == reg)
				return registers[i].number;
	return INSTRUCTION_NO_REGISTER;
}

/* Whether the operand is no access. */
static bool only_names_memory(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_LEA:
	case X86_INS_NOP:
	case X86_INS_PREFETCH:
	case X86_INS_PREFETCHNTA:
	case X86_INS_PREFETCHT0:
	case X86_INS_PREFETCHT1:
	case X86_INS_PREFETCHT2:
	case X86_INS_PREFETCHW:
		return true;
	default:
		return false;
	}
}

static bool moves_its_register(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_STOSB:
	case X86_INS_STOSW:
	case X86_INS_STOSD:
	case X86_INS_STOSQ:
	case X86_INS_LODSB:
	case X86_INS_LODSW:
	case X86_INS_LODSD:
	case X86_INS_LODSQ:
	case X86_INS_SCASB:
	case X86_INS_SCASW:
	case X86_INS_SCASD:
	case X86_INS_SCASQ:
		return true;
	default:
		return false;
	}
}

/* As those have that copy or compare. */
static bool has_two(const cs_x86 *detail)
{
	unsigned count = 0;

	for (uint8_t i = 0; i < detail->op_count; i++)
		count += detail->operands[i].type == X86_OP_MEM;
	return count > 1;
}

/* String instructions move their registers behind the access, and gathers have many addresses. */
static bool is_beyond(const cs_insn *insn, const cs_x86_op *op)
{
	bool string = moves_its_register(insn) || has_two(&insn->detail->x86);
	bool plain_index = op->mem.index == X86_REG_INVALID || register_number(op->mem.index) >= 0;

	return string || !plain_index || op->mem.segment == X86_REG_FS ||
	       op->mem.segment == X86_REG_GS;
}

static void take(const cs_insn *insn, const cs_x86_op *op, struct instruction_memory *ret)
{
	ret->found = true;
	ret->base = register_number(op->mem.base);
	ret->index = register_number(op->mem.index);
	ret->scale = (uint8_t)op->mem.scale;
	ret->displacement = op->mem.disp;
	ret->size = op->size;
	ret->reads = op->access & CS_AC_READ || !op->access;
	ret->writes = op->access & CS_AC_WRITE;
	ret->foreign = is_beyond(insn, op);
}

void x86_64_memory(const struct decoded *decoded, struct instruction_memory *ret)
{
	const cs_insn *insn = decoded->insn;
	const cs_x86 *detail = &insn->detail->x86;

	ret->base = ret->index = ret->loads = INSTRUCTION_NO_REGISTER;
	if (only_names_memory(insn))
		return;
	for (uint8_t i = 0; i < detail->op_count && !ret->found; i++)
		if (detail->operands[i].type == X86_OP_MEM)
			take(insn, &detail->operands[i], ret);
	for (uint8_t i = 0; ret->found && i < detail->op_count; i++) {
		const cs_x86_op *op = &detail->operands[i];
		int16_t reg = op->type == X86_OP_REG && op->access & CS_AC_WRITE
				      ? register_number(op->reg)
				      : INSTRUCTION_NO_REGISTER;

		if (reg >= 0 && !ret->writes && (reg == ret->base || reg == ret->index)) {
			ret->overwritten = true;
			ret->loads = reg;
		}
	}
}
