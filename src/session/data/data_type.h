/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and fields of data, from DWARF: of a variable at an address, and of what an instruction
 * accesses through a pointer that a register holds. Texts are "items[].hot (uint64_t)" and "struct
 * node.next (struct node*)". Without debug info nothing is known. Not thread-safe. */
#ifndef SESSION_DATA_DATA_TYPE_H
#define SESSION_DATA_DATA_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_die.h"

struct buf;
struct data_module;

/* A variable that has the value of a register plus an offset. */
struct data_pointer {
	struct dwarf_die type; /* the pointer's */
	int64_t offset;
};

/* The variable at an address as linked, and the part of it that is at an offset. */
bool data_type_put_variable(struct data_module *module, uint64_t address, uint64_t offset,
			    struct buf *out);
/* A pointer that is in a register (PERF_REG_*) before the instruction at an address as linked. */
bool data_type_pointer(struct data_module *module, uint64_t address, int16_t number,
		       struct data_pointer *ret);
/* What is at an offset of the address that it points at: as if it points into an array. */
bool data_type_put_target(const struct data_pointer *pointer, int64_t offset, struct buf *out);

#endif
