/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single DIEs with all their attributes, for what is asked of few functions: variables, types,
 * declarations. Values only: nothing is allocated, and everything points into the sections of the
 * dwarf that the units come from. Reads untrusted bytes; every walk is bounded by its unit. */
#ifndef SYMBOL_DWARF_DIE_H
#define SYMBOL_DWARF_DIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_unit.h"

struct dwarf_die {
	const struct dwarf_unit *unit;
	const struct dwarf_abbrevs *abbrevs;
	const struct dwarf_abbrev *abbrev;
	struct reader values; /* at the first attribute */
	uint64_t offset;
	uint16_t tag; /* DW_TAG_*; 0 = no DIE */
};

/* The DIE at an offset of the unit's section; false when there is none. */
bool dwarf_die_read(const struct dwarf_unit *unit, uint64_t offset, struct dwarf_die *ret);
/* An attribute's value; false when it is absent. */
bool dwarf_die_attr(const struct dwarf_die *die, uint16_t name, struct dwarf_value *ret);
/* The bytes of an expression or block. */
bool dwarf_die_block(const struct dwarf_die *die, uint16_t name, struct bytes *ret);
/* A number, 0 when it is absent. Of a form with a sign, two's complement. */
uint64_t dwarf_die_number(const struct dwarf_die *die, uint16_t name);
bool dwarf_die_has(const struct dwarf_die *die, uint16_t name);
/* The DIE that an attribute refers to. */
bool dwarf_die_ref(const struct dwarf_die *die, uint16_t name, struct dwarf_die *ret);
/* The DIE that has the attribute: this one, or one that it is an instance or the definition of. */
bool dwarf_die_with(const struct dwarf_die *die, uint16_t name, struct dwarf_die *ret);
/* Its name, or that of what it is an instance of; NULL = none. */
const char *dwarf_die_name(const struct dwarf_die *die);
/* Whether its code covers the address; for a DIE without code, `absent`. */
bool dwarf_die_covers(const struct dwarf_die *die, uint64_t vaddr, bool absent);
/* The lowest address of its code. */
bool dwarf_die_entry(const struct dwarf_die *die, uint64_t *ret);

/* The DIEs below one, parents before children. */
struct dwarf_walk {
	const struct dwarf_unit *unit;
	const struct dwarf_abbrevs *abbrevs;
	struct reader reader;
	size_t depth; /* of the DIE returned last; 1 = direct child */
	size_t next_depth, skip_below;
};

void dwarf_walk_start(struct dwarf_walk *walk, const struct dwarf_die *parent);
/* The walk over all DIEs of a unit; depth 1 is below its root. */
bool dwarf_walk_unit(struct dwarf_walk *walk, const struct dwarf_unit *unit);
bool dwarf_walk_next(struct dwarf_walk *walk, struct dwarf_die *ret);
/* Leaves out what is below the DIE that was returned last. */
void dwarf_walk_skip(struct dwarf_walk *walk);

#endif
