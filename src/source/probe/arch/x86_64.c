/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes on x86-64. Which instructions the kernel emulates: arch/x86/kernel/uprobes.c
 * (branch_setup_xol_ops, push_setup_xol_ops). Encodings: Intel SDM volume 2. */
#include "source/probe/arch/probe_arch.h"

#include <string.h>

#define RAX 0
#define R10 10
#define R11 11

static bool starts_with(const uint8_t *code, size_t len, const void *bytes, size_t count)
{
	return len >= count && memcmp(code, bytes, count) == 0;
}

#define STARTS(...)                                              \
	starts_with(code, len, (const uint8_t[]){ __VA_ARGS__ }, \
		    sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* Prefixes of segments but fs and gs, and lock; instructions that trap, or are for the kernel. Also
 * what is repeated (rep movsb): it is executed step by step, and each repetition is a hit. */
static bool is_refused(const uint8_t *code, size_t len)
{
	static const uint8_t refused[] = { 0x26, 0x2e, 0x36, 0x3e, 0xf0, 0x06, 0x07, 0x0e, 0x16,
					   0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61,
					   0x62, 0x6c, 0x6d, 0x6e, 0x6f, 0x82, 0x9a, 0xcc, 0xcd,
					   0xce, 0xcf, 0xd4, 0xd5, 0xd6, 0xe4, 0xe5, 0xe6, 0xe7,
					   0xea, 0xec, 0xed, 0xee, 0xef, 0xf1, 0xf4, 0xfa, 0xfb };
	static const uint8_t prefixes[] = { 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3 };

	bool repeats = false;

	while (len && memchr(prefixes, code[0], sizeof(prefixes))) {
		repeats |= code[0] >= 0xf2;
		code++;
		len--;
	}
	if (len && (code[0] & 0xf0) == 0x40) {
		code++;
		len--;
	}
	if (repeats && len && code[0] >= 0xa4 && code[0] <= 0xaf && (code[0] & 0xfe) != 0xa8)
		return true;
	/* Of VEX instructions, too, it looks at the opcode alone. */
	if (len > 3 && (code[0] == 0xc4 || code[0] == 0xc5))
		code += code[0] == 0xc4 ? 3 : 2;
	return len && memchr(refused, code[0], sizeof(refused));
}

enum probe_cost probe_arch_cost(const uint8_t *code, size_t len, const char **ret_name)
{
	const uint8_t *at = code;

	*ret_name = "";
	if (!len)
		return PROBE_COST_UNKNOWN;
	if (STARTS(0x0f, 0x1f, 0x44, 0x00, 0x00)) {
		*ret_name = "nop5";
		return PROBE_COST_REFUSED; /* see probe_placement.h */
	}
	if (at[0] == 0x41 && len > 1 && (at[1] & 0xf8) == 0x50)
		at++;
	if ((at[0] & 0xf8) == 0x50)
		*ret_name = "push";
	else if (at[0] == 0x90 || STARTS(0x66, 0x90))
		*ret_name = "nop";
	else if (at[0] == 0xe9 || at[0] == 0xeb)
		*ret_name = "jmp";
	else if (at[0] == 0xe8)
		*ret_name = "call";
	else if ((at[0] & 0xf0) == 0x70 || (len > 1 && at[0] == 0x0f && (at[1] & 0xf0) == 0x80))
		*ret_name = "jcc";
	if ((*ret_name)[0])
		return PROBE_COST_EMULATED;
	if (STARTS(0xf3, 0x0f, 0x1e, 0xfa))
		*ret_name = "endbr64";
	return is_refused(code, len) ? PROBE_COST_REFUSED : PROBE_COST_STEPPED;
}

/* Registers that carry no argument and that callers expect to be lost. */
static bool is_scratch(uint8_t reg)
{
	return reg == RAX || reg == R10 || reg == R11;
}

/* A register, or memory that is read at a fixed place: relative to the instruction, or of the
 * thread (with a prefix that is not accepted here). */
static bool operand_is_sure(uint8_t modrm)
{
	return modrm >> 6 == 3 || (modrm & 0xc7) == 0x05;
}

bool probe_arch_is_neutral(const uint8_t *code, size_t len)
{
	uint8_t rex = 0, reg, rm;

	if (STARTS(0xf3, 0x0f, 0x1e, 0xfa)) /* endbr64 */
		return true;
	if (STARTS(0x0f, 0x1f) || STARTS(0x66, 0x90) || STARTS(0x90) || STARTS(0x66, 0x0f, 0x1f))
		return true;
	if (len && (code[0] & 0xf0) == 0x40) {
		rex = code[0];
		code++;
		len--;
	}
	if (len < 2)
		return false;
	if ((code[0] & 0xf8) == 0xb8) /* mov $imm, register */
		return is_scratch((uint8_t)((code[0] & 7) | (rex & 1) << 3));
	reg = (uint8_t)((code[1] >> 3 & 7) | (rex & 4) << 1);
	rm = (uint8_t)((code[1] & 7) | (rex & 1) << 3);
	switch (code[0]) {
	case 0x8b: /* mov to a register */
	case 0x63: /* movsxd */
		return operand_is_sure(code[1]) && is_scratch(reg);
	case 0x8d: /* lea */
		return is_scratch(reg);
	case 0x31: /* xor, mov between registers */
	case 0x89:
		return code[1] >> 6 == 3 && is_scratch(rm);
	case 0x33:
		return code[1] >> 6 == 3 && is_scratch(reg);
	case 0x84: /* test, cmp: flags alone */
	case 0x85:
	case 0x38:
	case 0x39:
	case 0x3a:
	case 0x3b:
		return operand_is_sure(code[1]);
	case 0x80: /* cmp $imm */
	case 0x81:
	case 0x83:
		return (code[1] >> 3 & 7) == 7 && operand_is_sure(code[1]);
	case 0xf6: /* test $imm */
	case 0xf7:
		return (code[1] >> 3 & 7) == 0 && operand_is_sure(code[1]);
	default:
		return false;
	}
}

/* Where compilers write endbr64 they mark such jumps as notrack, because their targets have none.
 * Elsewhere any may be one, but "jmp *slot(%rip)", which leads to another function. */
bool probe_arch_is_switch(const uint8_t *code, size_t len, const struct probe_code *function)
{
	const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (starts_with(function->code, function->len, endbr64, sizeof(endbr64)))
		return STARTS(0x3e);
	return !STARTS(0xff, 0x25) && !STARTS(0xf2, 0xff, 0x25);
}

bool probe_arch_is_marked(const uint8_t *code, size_t len)
{
	return STARTS(0x3e);
}
