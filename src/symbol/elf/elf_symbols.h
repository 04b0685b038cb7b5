/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The function and object names of one ELF image: .symtab (of the file, its debug file, or its
 * .gnu_debugdata), .dynsym and PLT entries in one table sorted by address. Names stay in the mapped
 * string tables and are demangled individually on first use. find is thread-safe. Addresses are
 * virtual addresses of the main file. */
#ifndef SYMBOL_ELF_SYMBOLS_H
#define SYMBOL_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct elf_symbols;
struct symbol;

/* Both files are borrowed and must outlive the table; debug may be NULL. Never fails: a file
 * without symbols gives an empty table. */
struct elf_symbols *elf_symbols_new(const struct elf_file *elf, const struct elf_file *debug,
				    bool demangle);
void elf_symbols_free(struct elf_symbols *symbols); /* NULL is fine */
size_t elf_symbols_count(const struct elf_symbols *symbols);
/* Whether a .symtab was found; without one static functions are missing. */
bool elf_symbols_complete(const struct elf_symbols *symbols);

/* The symbol that covers vaddr: count 1, start and end in virtual addresses. */
bool elf_symbols_find(struct elf_symbols *symbols, uint64_t vaddr, struct symbol *ret);
/* Only which symbol that is: numbers from 0. */
bool elf_symbols_number(struct elf_symbols *symbols, uint64_t vaddr, size_t *ret);

#endif
