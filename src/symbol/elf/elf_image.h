/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything that names addresses of one ELF image: its symbol table and, on request, its DWARF,
 * from the file or its debug file. Works on virtual addresses; the symbolizers that use it convert
 * module offsets (elf.c, vdso.c, vmlinux.c). */
#ifndef SYMBOL_ELF_IMAGE_H
#define SYMBOL_ELF_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/symbolizer.h"

struct build_id;
struct elf_file;

struct elf_image {
	struct elf_file *elf, *debug; /* owned; debug may be NULL */
	struct elf_symbols *symbols;
	struct dwarf *dwarf; /* NULL: none, or not requested */
	bool shared;	     /* these two are borrowed from symbol_shared */
	uint64_t dwarf_bias; /* virtual address - DWARF address */
	bool inlines;
	const char *problem;	  /* the first reason for missing names, or NULL */
	char *debuginfod_problem; /* why servers could not be asked; owned; NULL = they could */
};

/* Requests a debug file from debuginfod servers if enabled. */
bool elf_image_ask_debuginfod(struct elf_image *image, const struct build_id *id,
			      const struct symbol_options *options, struct elf_file **ret);
/* elf and debug are set already. */
void elf_image_load(struct elf_image *image, const struct symbol_options *options);
void elf_image_done(struct elf_image *image);
/* start and end of the symbol are virtual addresses. Thread-safe. */
bool elf_image_resolve(const struct elf_image *image, uint64_t vaddr, struct symbol *ret);
/* As in struct symbolizer_ops. */
enum symbol_grain elf_image_grain(const struct elf_image *image, uint64_t vaddr,
				  uint64_t *ret_number);
const char *elf_image_problem(const struct elf_image *image);

#endif
