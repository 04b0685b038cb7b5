/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind rules of code without a table, from its instructions. Immutable once made. */
#ifndef UNWIND_BARE_CODE_RULES_H
#define UNWIND_BARE_CODE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "unwind/rule.h"

struct unwind_table;

/* Holds up to the next row, for interrupted instructions and for return addresses less 1. */
struct code_row {
	uint64_t start;		 /* linked address */
	struct unwind_rule rule; /* UNWIND_FP = none is known */
};

struct code_rules {
	VEC(struct code_row) rows; /* ascending */
};

/* The table must have a file that this machine runs. */
struct code_rules *code_rules_new(const struct unwind_table *table);
void code_rules_free(struct code_rules *rules); /* NULL is fine */
/* The last row that starts at the address or before; rows.count = none does. */
size_t code_rules_find(const struct code_rules *rules, uint64_t addr);

#endif
