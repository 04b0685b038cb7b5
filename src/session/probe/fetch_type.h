/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types in expressions: those of the debug info, and those of C and perf by their names. */
#ifndef SESSION_PROBE_FETCH_TYPE_H
#define SESSION_PROBE_FETCH_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "symbol/dwarf/dwarf_type.h"

struct fetch_type {
	struct dwarf_type type;
	/* Of a pointer by name, what it points at: type.die has tag 0. */
	enum dwarf_kind target;
	unsigned target_size;
	bool target_signed;
	unsigned indexed; /* dimensions of an array that were left behind */
};

/* "unsigned long", "const char *", "size_t", "u64". Returns the bytes that were read, 0 = this is
 * no type. */
size_t fetch_type_parse(const char *text, struct fetch_type *ret);
/* perf's "u32", "x64", "string"; *ret_hex, *ret_string accordingly. */
bool fetch_type_perf(const char *text, size_t len, struct fetch_type *ret, bool *ret_hex,
		     bool *ret_string);
void fetch_type_number(unsigned size, bool is_signed, struct fetch_type *ret);
bool fetch_type_target(const struct fetch_type *type, struct fetch_type *ret);
/* A pointer to, or an array of, char. */
bool fetch_type_is_text(const struct fetch_type *type);
/* Whether a type in C is one of floating-point numbers, which no integer register passes. */
bool fetch_type_is_float(const char *text);

/* Whether a type in C takes more than a register, or may: __int128, struct, union. */
bool fetch_type_is_large(const char *text);

#endif
