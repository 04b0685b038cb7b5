/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The supplementary file that dwz moved shared DIEs and strings into (.gnu_debugaltlink): found by
 * the path in the link, else by its build id, on this machine or from debuginfod. Debian's debug
 * packages use them. */
#ifndef SYMBOL_DWARF_ALT_H
#define SYMBOL_DWARF_ALT_H

struct dwarf_alt;
struct dwarf_file;
struct dwarf_options;
struct dwarf_sections;
struct elf_file;
struct err;

/* *ret = NULL and 0 when the file has no such link. */
int dwarf_alt_open(const struct elf_file *elf, const struct dwarf_sections *sections,
		   const struct dwarf_options *options, struct dwarf_alt **ret, struct err *err);
struct dwarf_file *dwarf_alt_file(struct dwarf_alt *alt);
/* See elf_file_forget(). */
void dwarf_alt_forget(const struct dwarf_alt *alt); /* NULL is fine */
void dwarf_alt_close(struct dwarf_alt *alt);	    /* NULL is fine */

#endif
