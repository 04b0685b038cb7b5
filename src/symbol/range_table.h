/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named address ranges kept in memory: what kallsyms, perf maps and jitdumps come down to. Filled
 * once, then immutable and thread-safe to search. Names are NUL-terminated strings in one text
 * that the owner of the table keeps. */
#ifndef SYMBOL_RANGE_TABLE_H
#define SYMBOL_RANGE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/address_table.h"

struct range {
	uint64_t start, end; /* [start, end), end > start */
	uint32_t name;	     /* offset in the text */
	uint32_t tag;	     /* the owner's */
};

struct range_table {
	struct range *item;
	size_t count, capacity;
	struct address_index index;
};

void range_table_add(struct range_table *table, const struct range *range);
/* Sorts and resolves overlaps: for an address in two ranges, the one added later wins. */
void range_table_settle(struct range_table *table);
/* Makes a sorted table without overlaps searchable; nothing may be added any more. */
void range_table_index(struct range_table *table);
/* The range that holds the address, or NULL. A sorted table without an index is bisected. */
const struct range *range_table_find(const struct range_table *table, uint64_t address);
void range_table_done(struct range_table *table);

#endif
