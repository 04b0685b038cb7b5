// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds and unpacks debug sections (see dwarf_section.h). Format: ELF gABI, chapter "Section
 * Compression". */
#include "symbol/dwarf/dwarf_section.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/err.h"
#include "proc/elf_file.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* No honest section packs better: deflate cannot pass 1032:1. */
#define MAX_PACKING 1100
/* A longer name or path is taken for damage. */
#define MAX_STRING (64 << 10)

static const char *const names[DWARF_SECTIONS] = {
	[DWARF_INFO] = "info",
	[DWARF_ABBREV] = "abbrev",
	[DWARF_STR] = "str",
	[DWARF_LINE_STR] = "line_str",
	[DWARF_STR_OFFSETS] = "str_offsets",
	[DWARF_ADDR] = "addr",
	[DWARF_RANGES] = "ranges",
	[DWARF_RNGLISTS] = "rnglists",
	[DWARF_LINE] = "line",
	[DWARF_ARANGES] = "aranges",
	[DWARF_ALT_LINK] = NULL,
};

/* The id of a section name, or DWARF_SECTIONS; *zdebug tells of ".zdebug_". */
static enum dwarf_section section_id(const char *name, const char *suffix, bool *zdebug)
{
	*zdebug = false;
	if (!strcmp(name, ".gnu_debugaltlink"))
		return DWARF_ALT_LINK;
	if (!strncmp(name, ".zdebug_", 8))
		*zdebug = true;
	else if (strncmp(name, ".debug_", 7))
		return DWARF_SECTIONS;
	name += *zdebug ? 8 : 7;
	for (int id = 0; id < DWARF_ALT_LINK; id++) {
		size_t len = strlen(names[id]);

		if (!strncmp(name, names[id], len) && !strcmp(name + len, suffix))
			return (enum dwarf_section)id;
	}
	return DWARF_SECTIONS;
}

static void *unpack(struct bytes packed, uint32_t type, uint64_t size)
{
	void *data;
	uLongf len = size;

	if (!size || size / MAX_PACKING > packed.len)
		return NULL;
	data = malloc(size); /* a size from outside: no memory is an answer, not an abort */
	if (!data)
		return NULL;
	if (type == ELFCOMPRESS_ZLIB) {
		if (uncompress(data, &len, packed.data, packed.len) == Z_OK && len == size)
			return data;
	} else if (type == ELFCOMPRESS_ZSTD) {
		if (ZSTD_decompress(data, size, packed.data, packed.len) == size)
			return data;
	}
	free(data);
	return NULL;
}

/* Unpacks a compressed section in place of its raw bytes; false = damaged. */
static bool section_unpack(struct dwarf_sections *sections, enum dwarf_section id, bool zdebug,
			   bool is_64)
{
	struct bytes *bytes = &sections->section[id];
	struct reader r = reader_at(*bytes, 0);
	uint32_t type = ELFCOMPRESS_ZLIB;
	uint64_t size;

	if (zdebug) {
		if (read_u32(&r) != 0x42494c5a) /* "ZLIB" */
			return false;
		size = __builtin_bswap64(read_u64(&r));
	} else {
		type = read_u32(&r);
		if (is_64)
			(void)read_u32(&r); /* padding */
		size = read_uint(&r, is_64 ? 8 : 4);
		(void)read_uint(&r, is_64 ? 8 : 4); /* alignment */
	}
	if (r.failed)
		return false;
	sections->owned[id] = unpack((struct bytes){ r.pos, reader_left(&r) }, type, size);
	*bytes = (struct bytes){ sections->owned[id], sections->owned[id] ? size : 0 };
	return sections->owned[id];
}

/* False = damaged. */
static bool load_section(const struct elf_file *elf, const struct elf_section *section,
			 const char *suffix, struct dwarf_sections *ret)
{
	bool zdebug;
	enum dwarf_section id = section_id(section->name, suffix, &zdebug);
	struct bytes bytes;

	if (id == DWARF_SECTIONS || ret->section[id].data ||
	    !elf_section_data(elf, section, &bytes.data, &bytes.len))
		return true;
	ret->section[id] = bytes;
	if (!zdebug && !(section->flags & SHF_COMPRESSED))
		return true;
	return section_unpack(ret, id, zdebug, elf->is_64);
}

int dwarf_sections_load(const struct elf_file *elf, const char *suffix, struct dwarf_sections *ret,
			struct err *err)
{
	struct dwarf_sections sections = { 0 };

	if (elf->swap)
		return err_set(err, -ENOTSUP, "debug info of a machine of the other byte order");
	for (size_t i = 0; i < elf->section_count; i++) {
		if (load_section(elf, &elf->section[i], suffix, &sections))
			continue;
		dwarf_sections_done(&sections);
		return err_set(err, -EBADMSG, "damaged compressed debug section %s",
			       elf->section[i].name);
	}
	*ret = sections;
	return 0;
}

void dwarf_sections_done(struct dwarf_sections *sections)
{
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		free(sections->owned[i]);
	*sections = (struct dwarf_sections){ 0 };
}

const char *dwarf_section_string(const struct dwarf_sections *sections, enum dwarf_section id,
				 uint64_t offset)
{
	struct reader r = reader_at(sections->section[id], offset);

	if (reader_left(&r) > MAX_STRING)
		r.end = r.pos + MAX_STRING;
	return read_string(&r);
}
