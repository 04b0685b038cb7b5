/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The variables of one ELF image, by name and by address: every sized object symbol of .symtab (of
 * the file or its debug file) and of .dynsym. Those of threads have no address and are left out. */
#ifndef SYMBOL_ELF_OBJECTS_H
#define SYMBOL_ELF_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct elf_file;

struct elf_object {
	const char *name; /* as in the file: may be mangled */
	uint64_t address; /* in the main file */
	uint64_t size;
};

struct elf_objects {
	VEC(struct elf_object) item; /* in order of address, then the largest first */
	bool complete;		     /* there was a .symtab */
};

/* debug may be NULL; both must outlive the list. */
void elf_objects_read(const struct elf_file *elf, const struct elf_file *debug,
		      struct elf_objects *ret);
void elf_objects_done(struct elf_objects *objects);
/* That covers the address; NULL = none. */
const struct elf_object *elf_objects_at(const struct elf_objects *objects, uint64_t address);
/* NULL = none. */
const struct elf_object *elf_objects_named(const struct elf_objects *objects, const char *name);

#endif
