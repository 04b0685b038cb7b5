/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments of static probes: "-4@%eax 8@-16(%rbp) 4@$5", or of arm64 "4@w0 8@[sp, 16]": the
 * assembler's operands, as the compiler printed them. */
#ifndef PROC_USDT_ARGUMENT_H
#define PROC_USDT_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USDT_NO_REGISTER   (-1)
#define USDT_MAX_ARGUMENTS 12 /* of one probe, as in SystemTap */

struct usdt_argument {
	uint8_t size; /* bytes, 1 to 8 */
	bool is_signed, is_float;
	bool memory;   /* the value is at the address; else the sum itself is the value */
	int base;      /* DWARF number of a register, or USDT_NO_REGISTER */
	uint8_t shift; /* a part of the register: %ah begins at bit 8 */
	int index;     /* times scale is added */
	uint8_t scale;
	int64_t offset; /* is added */
	/* The name of an object, of which the address is added; relative to the program counter
	 * when base is it. Not terminated: in the text. */
	const char *symbol;
	size_t symbol_len;
};

/* Argument `number` from 0 of a probe's text, for an EM_X86_64 or EM_AARCH64 machine. False: there
 * is none, or it is malformed. */
bool usdt_argument_parse(uint16_t machine, const char *arguments, unsigned number,
			 struct usdt_argument *ret);
unsigned usdt_argument_count(const char *arguments);

#endif
