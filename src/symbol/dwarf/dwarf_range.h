/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address ranges: those a DIE covers, and a search among many that may overlap. */
#ifndef SYMBOL_DWARF_RANGE_H
#define SYMBOL_DWARF_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "symbol/dwarf/dwarf_unit.h"

struct dwarf_range {
	uint64_t start, end;
	uint32_t owner; /* a unit or a function */
};

struct dwarf_ranges {
	VEC(struct dwarf_range) list;
	size_t left; /* entries that may still be read, so that shared lists stay affordable */
};

/* The location of a DIE, from its attributes. */
struct dwarf_extent {
	struct dwarf_value low_pc, high_pc, ranges;
};

/* Appends the ranges of a DIE. Empty ones, and those of functions that the linker dropped (they
 * start at 0 or at the last addresses), are left out. */
void dwarf_add_ranges(const struct dwarf_unit *unit, const struct dwarf_extent *extent,
		      uint32_t owner, struct dwarf_ranges *ret);

/* Cuts overlapping ranges into a sorted list of disjoint ones; where several cover an address, the
 * greatest owner wins. Gaps have the owner DWARF_NO_OWNER. */
#define DWARF_NO_OWNER UINT32_MAX

/* Packed: a program has hundreds of thousands. */
struct dwarf_cut {
	uint64_t start; /* up to the start of the next one */
	uint32_t owner;
} __attribute__((packed, aligned(4)));

struct dwarf_cuts {
	VEC(struct dwarf_cut) list;
};

void dwarf_cut_ranges(struct dwarf_ranges *ranges, struct dwarf_cuts *ret);
/* The index of the cut around an address, or the count of cuts if there is none. */
size_t dwarf_cut_index(const struct dwarf_cuts *cuts, uint64_t address);
uint32_t dwarf_cut_find(const struct dwarf_cuts *cuts, uint64_t address);

#endif
