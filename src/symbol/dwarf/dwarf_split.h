/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Split DWARF: the DIEs of a skeleton unit are in a .dwo file beside its object, or in the .dwp
 * package of the program. Format: DWARF 5, section 3.1.2, 3.1.3 and 7.3.5; for version 4 the GNU
 * "DebugFission" extension. */
#ifndef SYMBOL_DWARF_SPLIT_H
#define SYMBOL_DWARF_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

struct dwarf_package;
struct dwarf_split;
struct dwarf_unit;
struct elf_file;

/* The .dwp file of a program, or NULL; `locations` as in struct dwarf_sections. */
struct dwarf_package *dwarf_package_open(const struct elf_file *elf, bool locations);
void dwarf_package_close(struct dwarf_package *package); /* NULL is fine */

/* The split part of a skeleton unit; NULL if neither the package nor a .dwo file has it. The
 * package (may be NULL) is borrowed and must outlive it. */
struct dwarf_split *dwarf_split_open(const struct elf_file *elf,
				     const struct dwarf_package *package,
				     const struct dwarf_unit *skeleton);
void dwarf_split_close(struct dwarf_split *split); /* NULL is fine */
const struct dwarf_unit *dwarf_split_unit(const struct dwarf_split *split);
/* Bytes of debug info in it. */
size_t dwarf_split_size(const struct dwarf_split *split);

#endif
