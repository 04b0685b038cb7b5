/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line table of one unit: address → source file and line. Borrows the section. Immutable except
 * for the path strings, which are built on first use. Format: DWARF 5, section 6.2. */
#ifndef SYMBOL_DWARF_LINE_H
#define SYMBOL_DWARF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf_lines;
struct dwarf_unit;

/* Never NULL; empty when the unit has no line table or its header is damaged. A damaged program
 * gives the rows before the damage. Row memory is taken from *budget. */
struct dwarf_lines *dwarf_lines_read(const struct dwarf_unit *unit, _Atomic int64_t *budget);
void dwarf_lines_free(struct dwarf_lines *lines);

/* The row of an address; false when no sequence covers it. */
bool dwarf_lines_find(const struct dwarf_lines *lines, uint64_t address, uint32_t *ret_file,
		      uint32_t *ret_line);
struct dwarf_row {
	uint64_t address;
	uint32_t file, line; /* line 0 = code of no line */
	bool statement;	     /* a recommended place for a breakpoint */
	bool end;	     /* the first address after a sequence; file and line mean nothing */
};

/* Calls visit for all rows in the order of the program, until it returns false. Rows of code that
 * the linker dropped have addresses near 0. */
void dwarf_lines_each(const struct dwarf_lines *lines,
		      bool (*visit)(void *context, const struct dwarf_row *row), void *context);
/* Files are numbered from 0 to the count - 1. */
size_t dwarf_lines_files(const struct dwarf_lines *lines);
/* The path of a file number (also of DW_AT_call_file), or NULL. Thread-safe. Lives as long as the
 * lines. */
const char *dwarf_lines_path(struct dwarf_lines *lines, uint64_t file);

#endif
