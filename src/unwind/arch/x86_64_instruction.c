/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes x86-64 instructions as far as unwinding needs (see instruction.h). Lengths are exact for
 * every instruction, and so is which ones may write the stack pointer or the frame pointer.
 * Encodings: Intel SDM volume 2, appendix A; AVX-512: chapter 2.7. */
#include "unwind/arch/instruction.h"

#include <string.h>

#include "unwind/arch/x86_64_opcodes.h"

#define MAX_LEN 15
#define BP	5 /* in instructions */
#define SP	4

struct decoder {
	const uint8_t *at, *start, *end;
	uint8_t rex; /* its low four bits; has_rex tells 0x40 from none */
	bool has_rex, wide_operand, word_operand /* 0x66 */, short_address /* 0x67 */;
	bool vector;	/* VEX or EVEX */
	uint8_t repeat; /* 0xf2, 0xf3 or 0 */
	uint8_t map;	/* 0: one byte, 1: 0x0f, 2: 0x0f38, 3: 0x0f3a */
	uint8_t opcode, flags;
	uint8_t vvvv;		    /* VEX's third register */
	uint8_t mod, reg, rm, base; /* extended by REX; base: of the memory operand, 0xff = other */
	int64_t displacement;
	int64_t immediate;
	bool relative; /* to the instruction's end */
};

static bool more(const struct decoder *d, size_t len)
{
	return (size_t)(d->end - d->at) >= len;
}

static bool prefixes(struct decoder *d)
{
	for (; more(d, 1); d->at++) {
		switch (*d->at) {
		case 0x66:
			d->word_operand = true;
			continue;
		case 0x67:
			d->short_address = true;
			continue;
		case 0xf2:
		case 0xf3:
			d->repeat = *d->at;
			continue;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0xf0:
			continue;
		default:
			break;
		}
		break;
	}
	if (more(d, 1) && (*d->at & 0xf0) == 0x40) {
		d->rex = *d->at & 15;
		d->has_rex = true;
		d->at++;
	}
	return more(d, 1);
}

/* VEX: C5 Rvvvv.pp or C4 RXBmmmmm Wvvvv.pp; EVEX: 62 RXBR0mmm Wvvvv1pp and a byte. R, X, B and
 * vvvv are inverted. */
static bool vector_prefix(struct decoder *d)
{
	size_t len = *d->at == 0xc5 ? 2 : *d->at == 0xc4 ? 3 : 4;
	uint8_t second, last;

	if (d->has_rex || d->word_operand || d->repeat || !more(d, len + 1))
		return false;
	second = d->at[1];
	last = d->at[len == 2 ? 1 : 2];
	d->vector = true;
	d->rex = len == 2 ? (uint8_t)((~second >> 5) & 4) : (uint8_t)((~second >> 5) & 7);
	d->map = len == 2 ? 1 : second & (len == 3 ? 31 : 7);
	d->vvvv = (~last >> 3) & 15;
	if (len > 2 && last & 0x80)
		d->rex |= 8;
	if (len == 4 && (last & 4) == 0)
		return false;
	d->repeat = (last & 3) == 2 ? 0xf3 : (last & 3) == 3 ? 0xf2 : 0;
	d->word_operand = (last & 3) == 1;
	d->has_rex = true;
	d->at += len;
	return d->map >= 1 && (d->map <= 3 || (len == 4 && (d->map == 5 || d->map == 6)));
}

static bool is_vector_prefix(const struct decoder *d)
{
	return *d->at == 0xc4 || *d->at == 0xc5 || *d->at == 0x62;
}

static bool opcode(struct decoder *d)
{
	if (is_vector_prefix(d)) {
		if (!vector_prefix(d))
			return false;
	} else if (*d->at == 0x0f) {
		d->at++;
		d->map = 1;
		if (more(d, 1) && (*d->at == 0x38 || *d->at == 0x3a)) {
			d->map = *d->at == 0x38 ? 2 : 3;
			d->at++;
		}
	}
	if (!more(d, 1))
		return false;
	d->opcode = *d->at++;
	return true;
}

/* Which opcodes of the later maps have general registers as results. */
static uint8_t later_map(const struct decoder *d)
{
	if (d->map == 3) {
		if (d->opcode >= 0x14 && d->opcode <= 0x17)
			return M | I1 | WM; /* pextr */
		return d->opcode == 0xf0 ? M | I1 | WR : M | I1;
	}
	if (d->map == 2)
		return d->opcode >= 0xe0 ? M | WR | WM : M;
	/* 16-bit floats: conversions to integers, and moves */
	if (d->opcode == 0x7e)
		return M | WM;
	return d->opcode == 0x2c || d->opcode == 0x2d || d->opcode == 0x78 || d->opcode == 0x79
		       ? M | WR
		       : M;
}

/* Of VEX and EVEX in map 1; the mask registers' instructions are at 0x40 and 0x90. */
static uint8_t vector_map(const struct decoder *d)
{
	if (d->opcode >= 0x40 && d->opcode <= 0x4f)
		return M;
	if (d->opcode >= 0x90 && d->opcode <= 0x9f)
		return d->opcode == 0x93 ? M | WR : M;
	if (d->opcode >= 0x78 && d->opcode <= 0x7b)
		return d->repeat && d->opcode <= 0x79 ? M | WR : M;
	return d->opcode < 0x10 || (d->opcode >= 0x80 && d->opcode < 0xc2)
		       ? M
		       : x86_64_two_byte[d->opcode];
}

static uint8_t opcode_flags(const struct decoder *d)
{
	switch (d->map) {
	case 0:
		return x86_64_one_byte[d->opcode];
	case 1:
		break;
	default:
		return later_map(d);
	}
	if (d->opcode == 0x7e && d->repeat == 0xf3) /* movq to a vector register */
		return M;
	if (d->vector)
		return d->opcode == 0x77 ? 0 : vector_map(d);
	/* extrq and insertq have forms of their own */
	if ((d->opcode == 0x78 || d->opcode == 0x79) && (d->word_operand || d->repeat))
		return BAD;
	return x86_64_two_byte[d->opcode];
}

static int64_t take_signed(struct decoder *d, unsigned bytes)
{
	int64_t value = 0;

	memcpy(&value, d->at, bytes);
	d->at += bytes;
	return bytes == 8 ? value
			  : (int64_t)((uint64_t)value << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static bool modrm(struct decoder *d)
{
	unsigned bytes = 0, rm;

	if (!more(d, 1))
		return false;
	d->mod = *d->at >> 6;
	d->reg = (uint8_t)((*d->at >> 3 & 7) | (d->rex & 4) << 1);
	rm = *d->at++ & 7;
	d->rm = (uint8_t)(rm | (d->rex & 1) << 3);
	d->base = 0xff;
	if (d->mod == 3)
		return true;
	d->base = d->rm;
	if (rm == 4) { /* SIB */
		if (!more(d, 1))
			return false;
		d->base = (uint8_t)((*d->at & 7) | (d->rex & 1) << 3);
		if ((*d->at >> 3 & 7) != 4 || d->rex & 2) /* has an index */
			d->base = 0xff;
		if (d->mod == 0 && (*d->at & 7) == 5) {
			bytes = 4;
			d->base = 0xff;
		}
		d->at++;
	} else if (d->mod == 0 && rm == 5) {
		bytes = 4;
		d->base = 0xff;
		d->relative = true;
	}
	if (d->mod)
		bytes = d->mod == 1 ? 1 : 4;
	if (!more(d, bytes))
		return false;
	if (bytes)
		d->displacement = take_signed(d, bytes);
	return true;
}

static unsigned immediate_bytes(const struct decoder *d)
{
	unsigned wide = d->word_operand && !(d->rex & 8) ? 2 : 4;

	if (d->map == 0) {
		switch (d->opcode) {
		case 0xa0 ... 0xa3:
			return d->short_address ? 4 : 8;
		case 0xb8 ... 0xbf:
			return d->rex & 8 ? 8 : wide;
		case 0xc2:
		case 0xca:
			return 2;
		case 0xc8:
			return 3;
		case 0xe8:
		case 0xe9:
			return 4; /* in 64-bit mode, whatever the prefix */
		case 0xf6:
			return (d->reg & 7) < 2 ? 1 : 0;
		case 0xf7:
			return (d->reg & 7) < 2 ? wide : 0;
		default:
			break;
		}
	}
	if (d->map == 1 && !d->vector && d->opcode >= 0x80 && d->opcode <= 0x8f)
		return 4;
	return d->flags & I1 ? 1 : d->flags & IZ ? wide : 0;
}

static bool immediate(struct decoder *d)
{
	unsigned bytes = immediate_bytes(d);

	if (!more(d, bytes))
		return false;
	if (bytes == 3)
		d->at += 3; /* enter */
	else if (bytes)
		d->immediate = take_signed(d, bytes);
	return true;
}

/* Opcodes of which ModRM's reg selects one that writes nothing: compare, test, bit test. */
static bool only_reads(const struct decoder *d)
{
	unsigned which = d->reg & 7;

	if (d->map == 0)
		return (d->opcode >= 0x80 && d->opcode <= 0x83 && which == 7) ||
		       ((d->opcode | 1) == 0xf7 && (which < 2 || which > 3)) ||
		       ((d->opcode | 1) == 0xff && which > 1);
	return d->map == 1 && !d->vector && d->opcode == 0xba && which == 4;
}

static bool is_written(const struct decoder *d, unsigned reg)
{
	bool other = d->flags & B8 && !d->has_rex;

	if (d->vector && d->map == 2 && d->opcode >= 0xf0 && d->vvvv == reg)
		return true;
	if (d->map == 0 && (d->opcode & 0xf8) == 0xb8)
		return ((d->opcode & 7) | (d->rex & 1) << 3) == (int)reg;
	if (d->map == 0 && (d->opcode & 0xf8) == 0xb0)
		return d->has_rex && ((d->opcode & 7) | (d->rex & 1) << 3) == (int)reg;
	if ((d->map == 0 && (d->opcode & 0xf8) == 0x90) ||	       /* xchg with %rax */
	    (d->map == 1 && !d->vector && (d->opcode & 0xf8) == 0xc8)) /* bswap */
		return ((d->opcode & 7) | (d->rex & 1) << 3) == (int)reg;
	if (!(d->flags & M) || other || only_reads(d))
		return false;
	return (d->flags & WR && d->reg == reg) || (d->flags & WM && d->mod == 3 && d->rm == reg);
}

static void set_other(const struct decoder *d, struct instruction *ret)
{
	ret->writes_sp = is_written(d, SP);
	ret->writes_bp = is_written(d, BP);
	if (ret->writes_sp || ret->writes_bp)
		ret->kind = INSTRUCTION_OTHER;
}

static bool is_64(const struct decoder *d)
{
	return d->rex & 8 && !d->word_operand;
}

/* The forms that compilers use on the two registers. */
static bool pointer_move(const struct decoder *d, struct instruction *ret)
{
	bool sum = d->opcode == 0x81 || d->opcode == 0x83;
	unsigned which = d->reg & 7;

	if (!is_64(d) || d->short_address)
		return false;
	ret->value = (int32_t)d->displacement;
	if (sum && d->mod == 3 && d->rm == SP && (which == 0 || which == 5)) {
		ret->kind = INSTRUCTION_ADD;
		ret->value = (int32_t)(which ? -d->immediate : d->immediate);
		return d->immediate > INT32_MIN;
	}
	if (d->opcode == 0x8d && d->mod != 3 && d->reg == SP && (d->base == SP || d->base == BP))
		ret->kind = d->base == SP ? INSTRUCTION_ADD : INSTRUCTION_SP_FROM_BP;
	else if (d->opcode == 0x8d && d->mod != 3 && d->reg == BP && d->base == SP)
		ret->kind = INSTRUCTION_BP_FROM_SP;
	else if (d->mod == 3 && ((d->opcode == 0x89 && d->reg == SP && d->rm == BP) ||
				 (d->opcode == 0x8b && d->reg == BP && d->rm == SP)))
		ret->kind = INSTRUCTION_BP_FROM_SP;
	else if (d->mod == 3 && ((d->opcode == 0x89 && d->reg == BP && d->rm == SP) ||
				 (d->opcode == 0x8b && d->reg == SP && d->rm == BP)))
		ret->kind = INSTRUCTION_SP_FROM_BP;
	else if (d->mod != 3 && d->base == SP && d->reg == BP && d->opcode == 0x89)
		ret->kind = INSTRUCTION_SAVE_BP;
	else if (d->mod != 3 && d->base == SP && d->reg == BP && d->opcode == 0x8b)
		ret->kind = INSTRUCTION_LOAD_BP;
	else
		return false;
	return true;
}

static void set_both(struct instruction *ret)
{
	ret->kind = INSTRUCTION_OTHER;
	ret->writes_sp = ret->writes_bp = true;
}

/* push, pop and what else moves the stack by a word. */
static bool word_move(const struct decoder *d, struct instruction *ret)
{
	unsigned reg = (d->opcode & 7) | (d->rex & 1) << 3;

	switch (d->opcode) {
	case 0x50 ... 0x57:
		ret->kind = INSTRUCTION_PUSH;
		ret->is_bp = reg == BP;
		break;
	case 0x58 ... 0x5f:
		ret->kind = INSTRUCTION_POP;
		ret->is_bp = reg == BP;
		if (reg == SP)
			set_both(ret);
		break;
	case 0x68:
	case 0x6a:
	case 0x9c: /* pushf */
		ret->kind = INSTRUCTION_PUSH;
		break;
	case 0x9d: /* popf */
		ret->kind = INSTRUCTION_POP;
		break;
	case 0x8f:
		ret->kind = INSTRUCTION_POP;
		if (d->mod == 3)
			set_both(ret);
		break;
	case 0xc8: /* enter */
		set_both(ret);
		break;
	case 0xc9:
		ret->kind = INSTRUCTION_LEAVE;
		break;
	default:
		return false;
	}
	if (d->word_operand)
		set_both(ret);
	return true;
}

static void set_target(const struct decoder *d, uint8_t kind, struct instruction *ret)
{
	ret->kind = kind;
	ret->has_target = true;
	ret->target = (d->at - d->start) + d->immediate;
}

static bool transfer(const struct decoder *d, struct instruction *ret)
{
	unsigned which = d->reg & 7;

	switch (d->opcode) {
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3: /* loop, jrcxz */
		set_target(d, INSTRUCTION_BRANCH, ret);
		return true;
	case 0xe8:
		set_target(d, INSTRUCTION_CALL, ret);
		return true;
	case 0xe9:
	case 0xeb:
		set_target(d, INSTRUCTION_JUMP, ret);
		return true;
	case 0xc2:
	case 0xc3:
		ret->kind = INSTRUCTION_RETURN;
		ret->value = (uint16_t)d->immediate;
		return true;
	case 0xca: /* far returns, return from an interrupt */
	case 0xcb:
	case 0xcf:
	case 0xcc:
	case 0xf1:
	case 0xf4:
		ret->kind = INSTRUCTION_STOP;
		return true;
	case 0xff:
		if (which == 6) {
			ret->kind = INSTRUCTION_PUSH;
			if (d->word_operand)
				set_both(ret);
			return true;
		}
		if (which < 2 || which == 7)
			return false;
		ret->kind = which < 4 ? INSTRUCTION_CALL : INSTRUCTION_JUMP;
		return true;
	default:
		return false;
	}
}

static void classify(const struct decoder *d, struct instruction *ret)
{
	unsigned which = d->reg & 7;

	if (d->map == 0 && !d->vector) {
		if (transfer(d, ret) || word_move(d, ret) || pointer_move(d, ret))
			return;
		ret->value = 0;
	} else if (d->map == 1 && !d->vector) {
		if (d->opcode >= 0x80 && d->opcode <= 0x8f) {
			set_target(d, INSTRUCTION_BRANCH, ret);
			return;
		}
		if (d->opcode == 0x0b || d->opcode == 0xb9 || d->opcode == 0xff) { /* ud2 … */
			ret->kind = INSTRUCTION_STOP;
			return;
		}
		if (d->opcode == 0x07 || d->opcode == 0x34 || d->opcode == 0x35 ||
		    d->opcode == 0xaa) { /* sysret, sysenter, rsm */
			ret->kind = INSTRUCTION_STOP;
			return;
		}
		if (d->opcode == 0xa0 || d->opcode == 0xa8) { /* push %fs, %gs */
			ret->kind = INSTRUCTION_PUSH;
			return;
		}
		if (d->opcode == 0xa1 || d->opcode == 0xa9) {
			ret->kind = INSTRUCTION_POP;
			return;
		}
		if (d->opcode == 0x01 && d->mod == 3 && which != 4) /* the many without operands */
			return;
	}
	set_other(d, ret);
}

bool instruction_decode(const uint8_t *at, size_t len, struct instruction *ret)
{
	struct decoder d = { .at = at, .start = at, .end = at + (len < MAX_LEN ? len : MAX_LEN) };

	*ret = (struct instruction){ .kind = INSTRUCTION_PLAIN };
	if (!prefixes(&d) || !opcode(&d))
		return false;
	d.flags = opcode_flags(&d);
	if (d.flags & BAD || (d.flags & M && !modrm(&d)) || !immediate(&d))
		return false;
	if (d.map == 0 && d.opcode == 0x8f && d.reg & 7) /* AMD's XOP */
		return false;
	ret->len = (uint8_t)(d.at - d.start);
	ret->has_address = d.relative;
	ret->address = (d.at - d.start) + d.displacement;
	classify(&d, ret);
	return true;
}
