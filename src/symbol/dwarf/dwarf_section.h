/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The debug sections of one ELF file as plain bytes: compressed ones (SHF_COMPRESSED with zlib or
 * zstd, and the older .zdebug_*) are unpacked, the others stay where the image is mapped. */
#ifndef SYMBOL_DWARF_SECTION_H
#define SYMBOL_DWARF_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_reader.h"

struct elf_file;
struct err;
struct section_cache;

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_LINE,
	DWARF_ARANGES,
	DWARF_LOC,
	DWARF_LOCLISTS,
	DWARF_ALT_LINK,
	DWARF_SECTIONS
};

struct dwarf_sections {
	struct bytes section[DWARF_SECTIONS];
	void *owned[DWARF_SECTIONS];
	bool dwo;		     /* of split units */
	bool locations;		     /* places of variables, which few readers need, are loaded */
	struct section_cache *cache; /* of unpacked ones (proc/section_cache.h); NULL = none */
	bool asked;
	struct elf_file *unpacked; /* from there, once asked; NULL = nothing was kept */
};

/* Absent sections are empty; those of locations are empty unless ret->locations is set before, and
 * ret->cache is used if it is set before. The suffix is "" or ".dwo". -ENOTSUP for a file that this
 * reader is not made for, -EBADMSG when a compressed section is damaged. */
int dwarf_sections_load(const struct elf_file *elf, const char *suffix, struct dwarf_sections *ret,
			struct err *err);
void dwarf_sections_done(struct dwarf_sections *sections);

/* The string at an offset of a string section, or NULL. */
const char *dwarf_section_string(const struct dwarf_sections *sections, enum dwarf_section id,
				 uint64_t offset);

#endif
