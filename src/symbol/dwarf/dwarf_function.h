/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of one unit that have code, including inlined ones: address → chain of functions.
 * Immutable except for the names, which are looked up on first use. */
#ifndef SYMBOL_DWARF_FUNCTION_H
#define SYMBOL_DWARF_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DWARF_NO_SCOPE UINT32_MAX

struct dwarf_file;
struct dwarf_functions;
struct dwarf_unit;

/* One instance of a function's code. */
struct dwarf_scope {
	uint32_t parent;   /* the scope it is inlined into; DWARF_NO_SCOPE = it is a real function
			    */
	uint32_t function; /* index of the function that has its name */
	uint32_t call_file, call_line; /* where the parent calls it */
};

/* Never NULL; empty when nothing can be read. Memory is taken from *budget. */
struct dwarf_functions *dwarf_functions_read(const struct dwarf_unit *unit,
					     _Atomic int64_t *budget);
void dwarf_functions_free(struct dwarf_functions *functions);

/* The innermost scope at an address, or NULL. */
const struct dwarf_scope *dwarf_functions_find(const struct dwarf_functions *functions,
					       uint64_t address);
/* The scope around an inlined one, or NULL. */
const struct dwarf_scope *dwarf_scope_parent(const struct dwarf_functions *functions,
					     const struct dwarf_scope *scope);
/* The range of the non-inlined function around an address; returns false if there is none. */
bool dwarf_functions_range(const struct dwarf_functions *functions, uint64_t address,
			   uint64_t *ret_start, uint64_t *ret_end);
/* The name, demangled unless `mangled`; NULL = it has none. Thread-safe. Lives as long as the
 * functions. The flag must be the same in all calls. */
const char *dwarf_scope_name(struct dwarf_functions *functions, const struct dwarf_scope *scope,
			     bool mangled);

#endif
