/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code → instructions, one at a time, as objdump and perf print them. The decoder is
 * capstone, which is loaded at first use (base/library.h). Bytes that it does not know are still
 * stepped over as one instruction where the CPU's encoding gives their length. Any bytes are
 * accepted. Not thread-safe. */
#ifndef SYMBOL_CODE_DISASSEMBLER_H
#define SYMBOL_CODE_DISASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disassembler;
struct err;

#define INSTRUCTION_TEXT_MAX 224

enum instruction_kind {
	INSTRUCTION_PLAIN,
	INSTRUCTION_JUMP, /* also conditional, also indirect */
	INSTRUCTION_CALL,
	INSTRUCTION_RETURN,
	INSTRUCTION_UNKNOWN, /* not decoded; its text is the bytes */
};

/* The operand in memory: base + index * scale + displacement. Registers are numbered as in perf's
 * samples (PERF_REG_*). Instructions that compute an address, hint, push or pop have none. */
struct instruction_memory {
	bool found;
	bool reads, writes;
	bool foreign;	     /* its address needs more than these: a segment, a moved base */
	bool overwritten;    /* the instruction changes base or index */
	int16_t base, index; /* INSTRUCTION_NO_REGISTER = none, INSTRUCTION_PC = what follows */
	uint8_t scale;
	uint16_t size; /* bytes; 0 = unknown */
	int16_t loads; /* the register that it loads, if it is a base or index; else none */
	int64_t displacement;
};

#define INSTRUCTION_NO_REGISTER -1
#define INSTRUCTION_PC		-2

struct instruction {
	uint64_t address;
	uint8_t len; /* at least 1 */
	enum instruction_kind kind;
	bool has_target; /* a jump or call to a fixed address */
	bool has_data;	 /* an operand is at a fixed address: relative to the instruction */
	uint64_t target, data;
	struct instruction_memory memory;
	char mnemonic[32];
	char operands[INSTRUCTION_TEXT_MAX - 32]; /* without the target, which callers print */
};

struct disassembler_options {
	uint16_t machine; /* EM_X86_64, EM_386 or EM_AARCH64 */
	bool intel;	  /* Intel's syntax, not AT&T's */
};

/* Loads the decoder. Needed only before a sandbox that forbids it (base/sandbox.h). */
int disassembler_load(struct err *err);
/* Returns -ENOTSUP for other machines, -ENOSYS without the decoder. */
int disassembler_open(const struct disassembler_options *options, struct disassembler **ret,
		      struct err *err);
void disassembler_close(struct disassembler *disassembler); /* NULL is fine */
/* The instruction at the start of `len` (at least 1) bytes. */
void disassembler_decode(struct disassembler *disassembler, const uint8_t *bytes, size_t len,
			 uint64_t address, struct instruction *ret);

#endif
