/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of C, C++ and Rust as DWARF describes them. A type is a value that points at its DIE; what
 * it is made of is read on request. Chains in hostile files are cut after a number of steps. */
#ifndef SYMBOL_DWARF_TYPE_H
#define SYMBOL_DWARF_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_die.h"

struct buf;
struct suggest;

enum dwarf_kind {
	DWARF_VOID,
	DWARF_SIGNED,
	DWARF_UNSIGNED,
	DWARF_BOOL,
	DWARF_CHAR, /* one byte, or more for UTF-16 and UTF-32 */
	DWARF_FLOAT,
	DWARF_POINTER,
	DWARF_REFERENCE, /* C++'s & and && */
	DWARF_STRUCT,	 /* also classes */
	DWARF_UNION,
	DWARF_ARRAY,
	DWARF_ENUM,
	DWARF_FUNCTION,
	DWARF_OTHER
};

struct dwarf_type {
	enum dwarf_kind kind;
	uint64_t size;	      /* bytes; 0 = unknown */
	bool is_signed;	      /* of numbers and enums */
	struct dwarf_die die; /* without typedefs and qualifiers; tag 0 for void */
};

/* The type that a DIE has (DW_AT_type); void when it has none. */
void dwarf_type_of(const struct dwarf_die *die, struct dwarf_type *ret);
/* What a pointer or reference points at, or an array is made of. */
bool dwarf_type_target(const struct dwarf_type *type, struct dwarf_type *ret);
#define DWARF_MAX_DIMENSIONS 8

/* The sizes of an array's dimensions, outer first; 0 = unknown. Returns how many there are. */
size_t dwarf_type_dimensions(const struct dwarf_type *array, uint64_t *ret, size_t max);
/* Elements of an array; 0 = unknown. Of several dimensions, all together. */
uint64_t dwarf_type_elements(const struct dwarf_type *array);

struct dwarf_member {
	struct dwarf_type type;
	uint64_t offset;	      /* bytes from the start of the outer struct */
	unsigned bit_size, bit_shift; /* of a bit field; size 0 = none; shift from the lowest bit */
};

/* A member by name, also of anonymous members and of base classes. */
bool dwarf_type_member(const struct dwarf_type *type, const char *name, struct dwarf_member *ret);
/* The member that has the byte at an offset: a DW_TAG_member, which may be anonymous, or a base
 * class (DW_TAG_inheritance). Of a union the first one. */
bool dwarf_type_member_at(const struct dwarf_type *type, uint64_t offset, struct dwarf_die *ret_die,
			  struct dwarf_member *ret);
/* Offers all names that would be found. */
void dwarf_type_suggest(const struct dwarf_type *type, struct suggest *suggest);
/* The name of an enum's value, or NULL. */
const char *dwarf_type_enumerator(const struct dwarf_type *type, uint64_t value);
/* Visits all of them; visit() returns false to end it. */
void dwarf_type_enumerators(const struct dwarf_type *type,
			    bool (*visit)(void *context, uint64_t value, const char *name),
			    void *context);

/* The name of a DIE's type, as perf writes it: "struct point*", "char[]", "size_t". */
void dwarf_type_put(const struct dwarf_die *die, struct buf *out);

#endif
