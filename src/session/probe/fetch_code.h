/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes fetch programs (bpf/fetch.h): steps, with checks of their number and of the stack's depth.
 * The first error stays, and what follows it has no effect. */
#ifndef SESSION_PROBE_FETCH_CODE_H
#define SESSION_PROBE_FETCH_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/fetch.h"
#include "symbol/dwarf/dwarf_reader.h"

struct debug_info;
struct dwarf_die;
struct dwarf_unit;
struct elf_file;
struct err;

struct fetch_code {
	struct fetch_program program;
	unsigned depth;	 /* of the stack after the last step */
	unsigned values; /* stored so far */
	struct err *err;
	bool failed;
};

void fetch_emit(struct fetch_code *code, struct fetch_step step);
void fetch_emit_constant(struct fetch_code *code, uint64_t value);
void fetch_emit_add(struct fetch_code *code, uint64_t value);
void fetch_emit_read(struct fetch_code *code, uint64_t size);
void fetch_emit_bits(struct fetch_code *code, unsigned shift, unsigned size, bool is_signed);
void fetch_emit_binary(struct fetch_code *code, enum fetch_binary op);
/* By DWARF number, of this CPU. */
void fetch_emit_register(struct fetch_code *code, uint64_t number);
/* The nth argument or the result by the ABI, as integers. Argument numbers start at 0; at the
 * function's first instruction those are known, too, that are on the stack. */
void fetch_emit_argument(struct fetch_code *code, unsigned number, bool at_entry);
void fetch_emit_result(struct fetch_code *code);
/* Sets the error, unless there is one. */
void fetch_fail(struct fetch_code *code, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Where DWARF expressions are evaluated. */
struct fetch_place {
	const struct debug_info *info;
	const struct dwarf_die *function;
	uint64_t address; /* of the probe, linked */
	bool at_return;	  /* registers are those after the function */
};

/* Fills it for an offset of the file; function is what it will point at. Stays as it is without
 * debug info (NULL). */
void fetch_place_find(const struct debug_info *info, const struct elf_file *elf, uint64_t offset,
		      struct dwarf_die *function, struct fetch_place *ret);

enum fetch_found {
	FETCH_MEMORY,  /* the variable's address is on the stack */
	FETCH_NUMBER,  /* its value */
	FETCH_PIECES,  /* nothing: it lies in several places, see fetch_piece() */
	FETCH_NOTHING, /* failed */
};

/* Where a variable with that expression is. */
enum fetch_found fetch_location(struct fetch_code *code, const struct fetch_place *place,
				const struct dwarf_unit *unit, struct bytes expression);
/* A part of a variable in pieces. */
struct fetch_part {
	const struct dwarf_unit *unit;
	struct bytes expression;
	uint64_t offset; /* in the variable */
};

/* Pushes the number of that size there. */
void fetch_piece(struct fetch_code *code, const struct fetch_place *place,
		 const struct fetch_part *part, uint64_t size);

#endif
