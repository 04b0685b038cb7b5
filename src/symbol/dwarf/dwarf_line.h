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
/* The path of a file number (also of DW_AT_call_file), or NULL. Thread-safe. Lives as long as the
 * lines. */
const char *dwarf_lines_path(struct dwarf_lines *lines, uint64_t file);

#endif
