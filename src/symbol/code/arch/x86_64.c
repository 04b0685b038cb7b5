// SPDX-License-Identifier: GPL-2.0-or-later
/* x86 instructions (see code_arch.h). capstone's text becomes that of objdump: no suffix where a
 * register says the size, no blanks between operands, all numbers in hexadecimal. The lengths of
 * instructions that capstone does not know follow from the encoding: Intel SDM, volume 2, chapter 2
 * and appendix A. */
#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "symbol/code/code_arch.h"

#define MAX_LENGTH	15
#define REX_WIDE	8
#define IMMEDIATE_CHARS 20 /* with the 0 behind it */

struct cursor {
	const uint8_t *bytes;
	size_t len, at;
};

static unsigned peek(const struct cursor *c, size_t ahead)
{
	return c->at + ahead < c->len ? c->bytes[c->at + ahead] : 0;
}

static bool in_set(unsigned byte, const char *set, size_t count)
{
	return memchr(set, (int)byte, count) != NULL;
}

/* Steps over a ModRM byte, the SIB byte and the displacement. */
static void skip_operand(struct cursor *c)
{
	unsigned modrm = peek(c, 0), mod = modrm >> 6, rm = modrm & 7;

	c->at++;
	if (mod == 3)
		return;
	if (rm == 4) {
		if (mod == 0 && (peek(c, 0) & 7) == 5)
			c->at += 4;
		c->at++;
	}
	if (mod == 1)
		c->at += 1;
	else if (mod == 2 || rm == 5)
		c->at += 4;
}

/* The map of opcodes behind 0f; the cursor is behind the opcode. */
static void skip_map1(struct cursor *c, unsigned opcode, bool vector)
{
	static const char no_operand[] = "\x05\x06\x07\x08\x09\x0b\x0e\x30\x31\x32\x33\x34\x35\x37"
					 "\x77\xa0\xa1\xa2\xa8\xa9\xaa";
	static const char with_byte[] = "\x70\x71\x72\x73\xa4\xac\xba\xc2\xc4\xc5\xc6";

	if (!vector && opcode >= 0x80 && opcode < 0x90) {
		c->at += 4;
		return;
	}
	if (vector ? opcode == 0x77
		   : in_set(opcode, no_operand, sizeof(no_operand) - 1) ||
			     (opcode >= 0xc8 && opcode < 0xd0))
		return;
	skip_operand(c);
	c->at += in_set(opcode, with_byte, sizeof(with_byte) - 1);
}

/* The opcode and what follows, in a map: 1 is 0f, 2 is 0f 38, 3 is 0f 3a; greater ones are the
 * vector extensions'. */
static void skip_opcode(struct cursor *c, unsigned map, bool vector)
{
	unsigned opcode = peek(c, 0);

	c->at++;
	if (map == 1) {
		skip_map1(c, opcode, vector);
		return;
	}
	skip_operand(c);
	c->at += map == 3;
}

static void skip_legacy(struct cursor *c)
{
	unsigned second = peek(c, 1);

	c->at++;
	if (second == 0x38 || second == 0x3a) {
		c->at++;
		skip_opcode(c, second == 0x38 ? 2 : 3, false);
	} else if (second == 0x0f) { /* 3DNow! */
		c->at++;
		skip_operand(c);
		c->at++;
	} else {
		skip_opcode(c, 1, false);
	}
}

static size_t length(const uint8_t *bytes, size_t len)
{
	struct cursor c = { bytes, len, 0 };

	while (c.at < MAX_LENGTH &&
	       in_set(peek(&c, 0), "\x66\x67\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65", 11))
		c.at++;
	if ((peek(&c, 0) & 0xf0) == 0x40)
		c.at++;
	switch (peek(&c, 0)) {
	case 0x0f:
		skip_legacy(&c);
		break;
	case 0xc4: {
		unsigned map = peek(&c, 1) & 0x1f;

		c.at += 3;
		skip_opcode(&c, map, true);
		break;
	}
	case 0xc5:
		c.at += 2;
		skip_opcode(&c, 1, true);
		break;
	case 0x62: {
		unsigned map = peek(&c, 1) & 7;

		c.at += 4;
		skip_opcode(&c, map, true);
		break;
	}
	default: /* not an instruction */
		return 1;
	}
	return c.at <= len && c.at <= MAX_LENGTH ? c.at : 1;
}

/* Of capstone's list, which is in the order of the names: all but those that neither hold
 * integers nor name a segment. */
static bool is_general(unsigned reg)
{
	return (reg >= X86_REG_AH && reg <= X86_REG_EDX) ||
	       (reg >= X86_REG_RAX && reg <= X86_REG_RDX) || reg == X86_REG_ESI ||
	       reg == X86_REG_ESP || (reg >= X86_REG_RSI && reg <= X86_REG_SS) ||
	       (reg >= X86_REG_R8 && reg <= X86_REG_R15) ||
	       (reg >= X86_REG_R8B && reg <= X86_REG_R15W);
}

/* fwait in front of fnstcw, fnstenv, fnsave, fnstsw, fnclex, fninit: fstcw and so on. */
static bool joins(const uint8_t *bytes, size_t len)
{
	unsigned reg = len > 2 ? bytes[2] >> 3 & 7 : 0;

	if (len < 3 || bytes[0] != 0x9b)
		return false;
	switch (bytes[1]) {
	case 0xd9:
	case 0xdd:
		return bytes[2] < 0xc0 && reg >= 6;
	case 0xdb:
		return bytes[2] == 0xe2 || bytes[2] == 0xe3;
	case 0xdf:
		return bytes[2] == 0xe0;
	default:
		return false;
	}
}

static bool is_shift(unsigned id)
{
	return id == X86_INS_SHL || id == X86_INS_SAL || id == X86_INS_SHR || id == X86_INS_SAR ||
	       id == X86_INS_ROL || id == X86_INS_ROR || id == X86_INS_RCL || id == X86_INS_RCR;
}

/* Whether the size of the operands is known without a suffix. */
static bool size_is_known(const struct decoded *decoded)
{
	const cs_x86 *detail = &decoded->insn->detail->x86;
	unsigned id = decoded->insn->id;

	if (id == X86_INS_PUSH || id == X86_INS_POP || id == X86_INS_CALL || id == X86_INS_JMP ||
	    id == X86_INS_RET || id == X86_INS_LEAVE)
		return true;
	for (uint8_t i = 0; i < detail->op_count; i++) {
		const cs_x86_op *op = &detail->operands[i];

		if (op->type == X86_OP_REG && is_general(op->reg) &&
		    !(is_shift(id) && op->reg == X86_REG_CL && detail->op_count > 1 &&
		      detail->operands[detail->op_count - 1].type == X86_OP_MEM))
			return true;
	}
	return false;
}

/* "movl" → "mov" where a register implies the size; a prefix may precede it. */
static void cut_suffix(const struct decoded *decoded, char *mnemonic)
{
	const char *name = decoded->capstone->cs_insn_name(decoded->handle, decoded->insn->id);
	char *word = strrchr(mnemonic, ' ');
	size_t len = name ? strlen(name) : 0;

	word = word ? word + 1 : mnemonic;
	if (len && strncmp(word, name, len) == 0 && word[len] && strchr("bwlq", word[len]) &&
	    !word[len + 1] && size_is_known(decoded))
		word[len] = '\0';
}

/* A lone decimal digit that objdump would print as 0xN: an immediate or a displacement, no scale.
 */
static bool is_bare_digit(const char *text, size_t i, bool intel)
{
	char before = i ? text[i - 1] : ',', after = text[i + 1];

	if (!isdigit((unsigned char)text[i]))
		return false;
	if (intel)
		return strchr(",+-: [", before) && (!after || strchr(",]", after));
	return strchr(" ,$-:*", before) && (!after || strchr(",(", after));
}

/* Whether ) at text[i] closes "(%rax,%rbx", which objdump prints with its scale of 1. */
static bool lacks_scale(const char *text, size_t i)
{
	size_t commas = 0;

	if (text[i] != ')')
		return false;
	while (i-- > 0 && text[i] != '(')
		commas += text[i] == ',';
	return commas == 1;
}

/* Whether the code has a displacement of 0, which objdump prints and capstone does not. */
static bool has_zero(const cs_x86 *detail)
{
	return detail->encoding.disp_size && !detail->disp;
}

/* Whether ( at text[i] has no displacement in front. */
static bool lacks_displacement(const char *text, size_t i)
{
	return text[i] == '(' && (!i || strchr(" ,:*", text[i - 1]));
}

/* Whether - at text[i] is the sign of an immediate: not that of a displacement, which objdump
 * prints as well. */
static bool is_signed_immediate(const char *text, size_t i, bool intel)
{
	if (strncmp(text + i, "-0x", 3) != 0 &&
	    !(text[i] == '-' && isdigit((unsigned char)text[i + 1])))
		return false;
	return intel ? !i || text[i - 1] == ' ' : i && text[i - 1] == '$';
}

/* The bytes that an immediate is extended to: those of the other operand. */
static unsigned immediate_bytes(const struct decoded *decoded)
{
	const cs_x86 *detail = &decoded->insn->detail->x86;
	unsigned id = decoded->insn->id;

	if (id == X86_INS_RORX || id == X86_INS_XABORT)
		return 1;
	for (uint8_t i = 0; i < detail->op_count; i++)
		if (detail->operands[i].type != X86_OP_IMM)
			return detail->operands[i].size;
	return detail->op_count ? detail->operands[0].size : 8;
}

/* "-0x5" as objdump prints it, 0xfffffffb of four bytes. Returns the end of the number. */
static const char *put_unsigned(const struct decoded *decoded, const char *text, char *ret,
				size_t *at)
{
	unsigned bytes = immediate_bytes(decoded);
	uint64_t mask = bytes && bytes < 8 ? ((uint64_t)1 << 8 * bytes) - 1 : UINT64_MAX;
	char *end;
	uint64_t value = -(uint64_t)strtoull(text + 1, &end, 0);

	*at += (size_t)snprintf(ret + *at, IMMEDIATE_CHARS, "0x%" PRIx64, value & mask);
	return end;
}

/* Appends the operands without blanks, with "QWORD PTR" in capitals. */
static void put_operands(const struct decoded *decoded, const char *text, char *ret, size_t size)
{
	bool intel = decoded->intel, zero = has_zero(&decoded->insn->detail->x86);
	size_t at = 0;

	for (size_t i = 0; text[i] && at + IMMEDIATE_CHARS < size; i++) {
		bool word = isalpha((unsigned char)text[i]) && (!i || strchr(" ,[", text[i - 1]));

		if (text[i] == ' ' && (i == 0 || strchr(",+-*", text[i - 1]) ||
				       (text[i + 1] && strchr("+-*", text[i + 1]))))
			continue;
		if (intel && word) {
			size_t len = strcspn(text + i, " ,[]");

			if (strncmp(text + i + len, " ptr ", 5) == 0 && at + len + 5 < size) {
				for (; len + 4; len--)
					ret[at++] = (char)toupper((unsigned char)text[i++]);
				i--;
				continue;
			}
		}
		if (is_signed_immediate(text, i, intel)) {
			i = (size_t)(put_unsigned(decoded, text + i, ret, &at) - text) - 1;
			continue;
		}
		if (is_bare_digit(text, i, intel)) {
			ret[at++] = '0';
			ret[at++] = 'x';
		}
		if (!intel && zero && lacks_displacement(text, i)) {
			memcpy(ret + at, "0x0", 3);
			at += 3;
		}
		if (!intel && lacks_scale(text, i)) {
			ret[at++] = ',';
			ret[at++] = '1';
		}
		ret[at++] = text[i];
	}
	ret[at] = '\0';
}

/* "[rax+rbx]" as objdump prints it: with the scale of the second register, with a displacement of
 * 0, and an address alone without brackets. Returns the end. */
static const char *put_memory(const struct decoded *decoded, const char *text, struct buf *ret)
{
	const char *end = strchrnul(text, ']'), *second = memchr(text, '+', (size_t)(end - text));
	bool scaled = memchr(text, '*', (size_t)(end - text)) != NULL;
	const char *rest = second ? second + 1 : end;

	if (isdigit((unsigned char)text[1])) {
		if (!ret->len || ret->data[ret->len - 1] != ':')
			(void)buf_puts(ret, "ds:");
		(void)buf_append(ret, text + 1, (size_t)(end - text) - 1);
		return *end ? end + 1 : end;
	}
	if (second && isalpha((unsigned char)*rest) && !scaled) {
		size_t len = strcspn(rest, "+-]");

		(void)buf_append(ret, text, (size_t)(rest - text) + len);
		(void)buf_puts(ret, "*1");
		text = rest + len;
	}
	(void)buf_append(ret, text, (size_t)(end - text));
	if (has_zero(&decoded->insn->detail->x86))
		(void)buf_puts(ret, "+0x0");
	return end;
}

/* By its code, without a byte for the number. */
static bool shifts_by_one(const cs_insn *insn)
{
	return is_shift(insn->id) && in_set(insn->detail->x86.opcode[0], "\xd0\xd1", 2);
}

/* What is left of the differences to objdump: masks of AVX-512 follow without a blank, in Intel's
 * syntax memory. */
static void mend_operands(const struct decoded *decoded, char *operands, size_t size)
{
	const char *segment = decoded->intel ? "cs:" : "%cs:"; /* in the name of a nop */
	bool nop = decoded->insn->id == X86_INS_NOP;
	struct buf mended = { .limit = size };

	for (const char *at = operands; *at;) {
		if (strcmp(at, ",0x1") == 0 && decoded->intel && shifts_by_one(decoded->insn)) {
			(void)buf_puts(&mended, ",1");
			at += 4;
		} else if (strncmp(at, "XWORD PTR", 9) == 0 && (at == operands || at[-1] == ',')) {
			(void)buf_puts(&mended, "TBYTE");
			at += 5;
		} else if (nop && strncmp(at, segment, strlen(segment)) == 0) {
			at += strlen(segment);
		} else if (*at == ' ' && (at[1] == '{' || at[1] == ',')) {
			at++;
		} else if (*at == '[' && decoded->intel) {
			at = put_memory(decoded, at, &mended);
		} else {
			(void)buf_putc(&mended, *at++);
		}
	}
	if (mended.data && mended.len < size)
		memcpy(operands, mended.data, mended.len + 1);
	buf_done(&mended);
}

static size_t count_prefix(const cs_insn *insn, uint8_t prefix)
{
	size_t count = 0;

	for (uint16_t i = 0; i < insn->size && in_set(insn->bytes[i], "\x66\x2e", 2); i++)
		count += insn->bytes[i] == prefix;
	return count;
}

/* Names that objdump has for what capstone calls otherwise; returns the operands. */
static const char *mend_name(const struct decoded *decoded, struct instruction *ret)
{
	const cs_insn *insn = decoded->insn;
	const char *operands = insn->op_str, *segment = strstr(operands, "cs:");
	size_t wide = count_prefix(insn, 0x66), at = 0;

	if (strcmp(insn->mnemonic, "movd") == 0 && insn->detail->x86.rex & REX_WIDE)
		(void)snprintf(ret->mnemonic, sizeof(ret->mnemonic), "movq");
	if (shifts_by_one(insn) && !decoded->intel && strncmp(operands, "$1, ", 4) == 0)
		return operands + 4;
	if (insn->id != X86_INS_NOP)
		return operands;
	if (insn->size == 2 && wide) {
		(void)snprintf(ret->mnemonic, sizeof(ret->mnemonic), "xchg");
		return decoded->intel ? "ax,ax" : "%ax,%ax";
	}
	for (size_t i = 1; i < wide && at + 16 < sizeof(ret->mnemonic); i++)
		at += (size_t)snprintf(ret->mnemonic + at, 8, "data16 ");
	(void)snprintf(ret->mnemonic + at, sizeof(ret->mnemonic) - at, "%s%.8s",
		       segment ? "cs " : "", insn->mnemonic);
	return operands;
}

static void describe(const struct decoded *decoded, struct instruction *ret)
{
	const cs_x86 *detail = &decoded->insn->detail->x86;
	bool branch = ret->kind == INSTRUCTION_JUMP || ret->kind == INSTRUCTION_CALL;
	const char *operands;

	(void)snprintf(ret->mnemonic, sizeof(ret->mnemonic), "%s", decoded->insn->mnemonic);
	if (!decoded->intel)
		cut_suffix(decoded, ret->mnemonic);
	for (uint8_t i = 0; i < detail->op_count; i++) {
		const cs_x86_op *op = &detail->operands[i];

		if (branch && op->type == X86_OP_IMM) {
			ret->has_target = true;
			ret->target = (uint64_t)op->imm;
		} else if (op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP) {
			ret->has_data = true;
			ret->data = ret->address + ret->len + (uint64_t)op->mem.disp;
		}
	}
	if (ret->has_target)
		return;
	operands = mend_name(decoded, ret);
	put_operands(decoded, operands, ret->operands, sizeof(ret->operands));
	mend_operands(decoded, ret->operands, sizeof(ret->operands));
}

const struct code_arch code_arch_x86_64 = {
	.machine = EM_X86_64,
	.arch = CS_ARCH_X86,
	.mode = CS_MODE_64,
	.length = length,
	.joins = joins,
	.describe = describe,
	.memory = x86_64_memory,
};

const struct code_arch code_arch_i386 = {
	.machine = EM_386,
	.arch = CS_ARCH_X86,
	.mode = CS_MODE_32,
	.length = length,
	.joins = joins,
	.describe = describe,
};
