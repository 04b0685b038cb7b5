/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions and their parameters and locals at an address, and where these are. Needs a dwarf that
 * was opened with `variables`. Names and expressions lie in its sections. */
#ifndef SYMBOL_DWARF_VARIABLE_H
#define SYMBOL_DWARF_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_die.h"

struct dwarf;

/* The function with code at an address; not one that is inlined there. */
bool dwarf_function_at(struct dwarf *dwarf, uint64_t vaddr, struct dwarf_die *ret);
/* Functions by name, also inlined ones and declarations without code, until visit() returns false.
 * The name is that of the source; `outer::inner` and linkage names are found as well. */
void dwarf_function_each(struct dwarf *dwarf, const char *name,
			 bool (*visit)(void *context, const struct dwarf_die *function),
			 void *context);

struct dwarf_variable {
	const char *name;
	bool parameter, external; /* else a local */
	struct dwarf_die die;
};

/* The variables that are in scope at an address of a function: parameters first, and those of inner
 * blocks after those of outer ones. `externs`: also those of the unit. */
void dwarf_variable_each(const struct dwarf_die *function, uint64_t vaddr, bool externs,
			 bool (*visit)(void *context, const struct dwarf_variable *variable),
			 void *context);

enum dwarf_presence {
	DWARF_PRESENT,	 /* an expression has it */
	DWARF_CONSTANT,	 /* it has the value *ret_constant */
	DWARF_ELSEWHERE, /* optimised out here, but not at other addresses */
	DWARF_ABSENT	 /* optimised out */
};

/* Where a variable is while the program is at an address. */
enum dwarf_presence dwarf_variable_place(const struct dwarf_die *die, uint64_t vaddr,
					 struct bytes *ret_expression, uint64_t *ret_constant);
/* The expression of an attribute (DW_AT_location, DW_AT_frame_base) that holds at an address;
 * *ret_elsewhere: a list has it for other addresses. */
bool dwarf_die_expression(const struct dwarf_die *die, uint16_t name, uint64_t vaddr,
			  struct bytes *ret, bool *ret_elsewhere);

#endif
