/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside an unwind table, for table.c and for what makes compact tables of it. */
#ifndef UNWIND_TABLE_PRIVATE_H
#define UNWIND_TABLE_PRIVATE_H

#include "unwind/cfi/cfi_index.h"
#include "unwind/table.h"

struct code_rules;

/* Made when first needed. */
struct lazy_rules {
	struct code_rules *_Atomic rules;
};

struct unwind_table {
	struct elf_file *elf;	  /* NULL = no file */
	struct elf_file *package; /* its debug package, when .debug_frame is that one's */
	bool owns_elf, is_go, is_vsyscall;
	bool bare_entry; /* the entry point has no table: what runs there has no caller */
	struct cfi_index eh, debug; /* count 0 = none */
	struct lazy_rules *code;
	void *unpacked; /* .debug_frame, if compressed in the file */
	struct {
		uint64_t start, end;
	} frameless[2]; /* .init and .fini: put together from pieces, without a table */
};

/* Whether the file is one that this machine runs. */
bool unwind_table_usable(const struct unwind_table *table);
/* The code bytes around a linked address; false when the file does not have them. */
bool unwind_table_code_at(const struct unwind_table *table, uint64_t vaddr, struct arch_code *ret);
/* The rule of a pc that no row covers, or of a return address, from the code around it. */
struct unwind_rule unwind_table_bare_rule(const struct unwind_table *table, uint64_t pc,
					  const struct arch_code *code, bool returns);
/* Rules of code without a table, from its instructions. */
const struct code_rules *unwind_table_code_rules(const struct unwind_table *table);
/* Until the next call with false there are none. For one thread. False: they were found already. */
bool unwind_table_skip_code_rules(const struct unwind_table *table, bool skip);
/* Where nothing but the frame pointer leads on. */
struct unwind_rule unwind_table_fp_rule(const struct unwind_table *table);
/* True for a row without information about the stack; the code may have it. */
bool unwind_table_row_is_bare(const struct cfi_vm *vm, const struct unwind_rule *rule);

#endif
