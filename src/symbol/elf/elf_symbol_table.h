/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of an elf_symbols while it is being filled: shared by the readers of symbol sections
 * (elf_symbols.c, elf_functions.c) and of PLT sections (elf_plt.c), not for others. */
#ifndef SYMBOL_ELF_SYMBOL_TABLE_H
#define SYMBOL_ELF_SYMBOL_TABLE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct elf_section;

/* Where a symbol's name lies. */
enum elf_names {
	ELF_NAMES_DYNSYM, /* .dynstr of the main file */
	ELF_NAMES_SYMTAB, /* .strtab of whichever file had the .symtab */
	ELF_NAMES_COUNT
};

/* 24 bytes each: large programs have a million of them. */
struct elf_symbol {
	uint64_t start;
	uint32_t size;	 /* 4 GiB - 1 when larger */
	uint32_t name;	 /* offset in its string table */
	uint32_t outer;	 /* index of the symbol around this one, or ELF_SYMBOL_NO_OUTER */
	uint8_t names;	 /* enum elf_names */
	uint8_t binding; /* STB_* */
	bool plt;	 /* shown as name@plt */
	bool unsized;	 /* size is only the room to the end of the section */
};

#define ELF_SYMBOL_NO_OUTER UINT32_MAX

struct elf_symbol_table {
	struct elf_symbol *item;
	size_t count, capacity;
};

/* Appends the entries of all PLT sections, named by the relocations of the slots they jump
 * through. */
void elf_plt_read(const struct elf_file *elf, struct elf_symbol_table *table);

/* The first section of that type; NULL = none. */
const struct elf_section *elf_section_of_type(const struct elf_file *elf, uint32_t type);
/* The entry at p, which has the size of the file's class. */
void elf_symbol_read(const struct elf_file *elf, const uint8_t *p, Elf64_Sym *ret);

/* Visits the named entries of the first section of that type; false if there are none. Names are
 * the file's. */
bool elf_symbols_visit(const struct elf_file *elf, uint32_t type,
		       void (*visit)(void *context, const Elf64_Sym *sym, const char *name),
		       void *context);

struct elf_strings {
	const char *data;
	size_t len; /* ends with a NUL when not 0 */
};

bool elf_strings_read(const struct elf_file *elf, uint32_t section, struct elf_strings *ret);

#endif
