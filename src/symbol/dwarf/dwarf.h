/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inlined functions and source lines from the DWARF of one ELF file. Nothing is decoded at open but
 * the unit headers and the address ranges of the units; a unit is indexed as a whole at the first
 * address that hits it, and the index is immutable from then on. resolve is thread-safe, and
 * lock-free for units already indexed. Addresses are the file's virtual addresses. */
#ifndef SYMBOL_DWARF_H
#define SYMBOL_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfod_session;
struct dwarf;
struct dwarf_lines;
struct dwarf_unit;
struct elf_file;
struct err;
struct section_cache;
struct symbol;

struct dwarf_options {
	const char *symfs; /* where to look for debug files; NULL or "" = none */
	struct debuginfod_session *debuginfod; /* for missing debug files; NULL: not used */
	struct section_cache *unpacked;	       /* proc/section_cache.h; NULL: not used */
	bool keep_mangled;		       /* names as in the file */
	bool variables;			       /* also where variables are (dwarf_variable.h) */
	size_t limit_bytes; /* memory for indexes; 0 = in proportion to the debug info */
};

/* The ELF file is borrowed and must outlive the dwarf. *ret = NULL and 0 when it has no debug info.
 */
int dwarf_open(const struct elf_file *elf, const struct dwarf_options *options, struct dwarf **ret,
	       struct err *err);
/* Completes *symbol, which holds the symbol table's result (count 0 or 1): adds file and line of
 * the function and, with inlines, inserts the functions inlined at vaddr before it. Also names
 * functions missing in the symbol table; their start and end are then virtual addresses. Returns
 * false, without changes, if the DWARF does not cover vaddr. Strings live until dwarf_close(). */
bool dwarf_resolve(struct dwarf *dwarf, uint64_t vaddr, bool inlines, struct symbol *symbol);
/* False if dwarf_resolve() would return false for vaddr; cheap. */
bool dwarf_covers(const struct dwarf *dwarf, uint64_t vaddr);
/* What is missing ("split debug info in foo.dwo is not there"), or NULL. Valid until
 * dwarf_close(). */
const char *dwarf_problem(const struct dwarf *dwarf);
void dwarf_close(struct dwarf *dwarf); /* NULL is fine */

/* The units, for readers of more than names (dwarf_die.h). */
size_t dwarf_unit_count(const struct dwarf *dwarf);
/* The number of the unit with the code at an address; false if there is none. */
bool dwarf_unit_find(const struct dwarf *dwarf, uint64_t vaddr, size_t *ret);
/* The unit with the DIEs: of a skeleton, the split part. NULL for a unit without code. */
const struct dwarf_unit *dwarf_unit_dies(struct dwarf *dwarf, size_t number);
/* Its line table; never NULL. */
struct dwarf_lines *dwarf_unit_lines(struct dwarf *dwarf, size_t number);

#endif
