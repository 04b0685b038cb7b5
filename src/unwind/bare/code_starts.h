/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an ELF file says about code without an unwind table: where it is, which functions start in
 * it, and which calls do not return. */
#ifndef UNWIND_BARE_CODE_STARTS_H
#define UNWIND_BARE_CODE_STARTS_H

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct unwind_table;

struct code_span {
	uint64_t from, to; /* linked addresses */
};

struct code_function {
	uint64_t start, size; /* size 0 = unknown */
};

enum code_exits {
	CODE_EXITS = 1,
	CODE_MAY_EXIT, /* by its arguments */
};

struct code_starts {
	VEC(struct code_span) gaps;	     /* ascending */
	VEC(struct code_function) functions; /* in the gaps; ascending, no duplicates */
	uint64_t work;			     /* entries of tables that may be read yet */
	struct map exits; /* GOT slots of imported functions that do not return: how */
};

void code_starts_find(const struct unwind_table *table, struct code_starts *ret);
void code_starts_done(struct code_starts *starts);

#endif
