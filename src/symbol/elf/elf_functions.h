/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of one ELF image by all of their names: every function symbol of .symtab (of the
 * file, its debug file, or its .gnu_debugdata) and of .dynsym, aliases included. elf_symbols.h is
 * for the reverse, one name for an address. */
#ifndef SYMBOL_ELF_FUNCTIONS_H
#define SYMBOL_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct elf_file;

struct elf_function {
	const char *name; /* as in the file: may be mangled; without a version */
	uint64_t address; /* in the main file; 0 when imported */
	uint64_t size;	  /* 0 = unknown */
	bool indirect;	  /* STT_GNU_IFUNC: its code chooses a function, and returns it */
	bool imported;	  /* from another file */
	bool local;
};

struct elf_functions {
	VEC(struct elf_function) item; /* in order of address, then of name; no duplicates */
	bool complete;		       /* there was a .symtab, so static functions are among them */
	struct elf_file *mini;	       /* unpacked .gnu_debugdata */
};

/* debug may be NULL; both must outlive the list. */
void elf_functions_read(const struct elf_file *elf, const struct elf_file *debug,
			struct elf_functions *ret);
void elf_functions_done(struct elf_functions *functions);

#endif
