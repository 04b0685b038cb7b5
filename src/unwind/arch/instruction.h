/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One instruction as unwinding sees it: its length, where it leads, and what it does to the stack
 * pointer and the frame pointer. Everything else about it is left out. Reads untrusted bytes. */
#ifndef UNWIND_ARCH_INSTRUCTION_H
#define UNWIND_ARCH_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum instruction_kind {
	INSTRUCTION_PLAIN,
	INSTRUCTION_PUSH,	/* a word; of the frame pointer: is_bp */
	INSTRUCTION_POP,	/* likewise */
	INSTRUCTION_ADD,	/* value is added to the stack pointer */
	INSTRUCTION_BP_FROM_SP, /* frame pointer = stack pointer + value */
	INSTRUCTION_SP_FROM_BP, /* stack pointer = frame pointer + value */
	INSTRUCTION_SAVE_BP,	/* frame pointer → the word at stack pointer + value */
	INSTRUCTION_LOAD_BP,	/* the reverse */
	INSTRUCTION_LEAVE,	/* stack pointer = frame pointer, then pops that */
	INSTRUCTION_CALL,	/* has_target: a direct one */
	INSTRUCTION_JUMP,	/* likewise */
	INSTRUCTION_BRANCH,	/* a conditional jump; always direct */
	INSTRUCTION_RETURN,	/* value: bytes of arguments that it takes off the stack */
	INSTRUCTION_STOP,	/* never goes on: a trap, halt */
	INSTRUCTION_OTHER,	/* changes one of the pointers in another way */
};

struct instruction {
	uint8_t kind; /* enum instruction_kind */
	uint8_t len;
	bool is_bp;
	bool has_target;
	bool writes_sp, writes_bp; /* of INSTRUCTION_OTHER */
	bool has_address;	   /* an operand is at, or is, a fixed address */
	int32_t value;
	int64_t target;	 /* from the instruction's first byte */
	int64_t address; /* likewise */
};

/* False: not an instruction that 64-bit compilers and assemblers write, or cut off at `len`. */
bool instruction_decode(const uint8_t *at, size_t len, struct instruction *ret);

#endif
