/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind information of a module: .eh_frame, then .debug_frame, then the code bytes. Offsets
 * are offsets in the module (proc/module.h). Immutable once open, so threads may share one. */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/arch/arch.h"
#include "unwind/cfi/cfi.h"
#include "unwind/rule.h"

struct elf_file;
struct module;
struct unwind_table;

/* Never NULL: a module without a file or without tables makes an empty table. */
struct unwind_table *unwind_table_open(const struct module *module, const char *symfs);
/* The tables of an ELF file that is open already and stays the caller's. */
struct unwind_table *unwind_table_of_elf(struct elf_file *elf);
void unwind_table_close(struct unwind_table *table); /* NULL is fine */
/* See elf_file_forget(). */
void unwind_table_forget(const struct unwind_table *table); /* NULL is fine */

/* Whether there is any call frame information. */
bool unwind_table_has_rows(const struct unwind_table *table);
/* Code of a Go program: every function keeps the frame pointer, 0 in the outermost one. */
bool unwind_table_is_go(const struct unwind_table *table);

/* A pc as the walk found it. */
struct unwind_place {
	uint64_t offset; /* in the module */
	bool returns;	 /* a return address: the instruction before it decides */
};

/* The rule for a place; UNWIND_FP if unknown. */
struct unwind_rule unwind_table_rule(const struct unwind_table *table, struct unwind_place place);
/* The full row, in vm (which refers to *fde); false when a rule without a row applies. *vaddr is
 * the linked address of the place. */
bool unwind_table_row(const struct unwind_table *table, struct unwind_place place,
		      struct cfi_fde *fde, struct cfi_vm *vm, uint64_t *vaddr);
/* The code bytes around an offset; false when the file does not have them. */
bool unwind_table_code(const struct unwind_table *table, uint64_t offset, struct arch_code *ret);

/* All FDEs of .eh_frame, else of .debug_frame, in section order, for making whole tables. */
void unwind_table_each(const struct unwind_table *table,
		       void (*each)(void *context, const struct cfi_section *section,
				    const struct cfi_fde *fde),
		       void *context);

#endif
