// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds and unpacks debug sections (see dwarf_section.h). libelf finds the section headers and
 * checks that they lie inside the image; unpacking is done here because libelf 0.188 does not know
 * zstd. Format: ELF gABI, chapter "Section Compression". */
#include "symbol/dwarf/dwarf_section.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"

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
static bool section_unpack(struct dwarf_sections *sections, enum dwarf_section id, bool zdebug)
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
		(void)read_u32(&r); /* padding */
		size = read_u64(&r);
		(void)read_u64(&r); /* alignment */
	}
	if (r.failed)
		return false;
	sections->owned[id] = unpack((struct bytes){ r.pos, reader_left(&r) }, type, size);
	*bytes = (struct bytes){ sections->owned[id], sections->owned[id] ? size : 0 };
	return sections->owned[id];
}

static int load_section(Elf *elf, Elf_Scn *scn, const char *suffix, struct dwarf_sections *ret)
{
	GElf_Shdr shdr;
	size_t names_index;
	const char *name;
	enum dwarf_section id;
	bool zdebug;
	Elf_Data *data;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
		return 0;
	if (elf_getshdrstrndx(elf, &names_index))
		return 0;
	name = elf_strptr(elf, names_index, shdr.sh_name);
	if (!name)
		return 0;
	id = section_id(name, suffix, &zdebug);
	if (id == DWARF_SECTIONS || ret->section[id].data)
		return 0;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return 0;
	ret->section[id] = (struct bytes){ data->d_buf, data->d_size };
	if ((zdebug || shdr.sh_flags & SHF_COMPRESSED) && !section_unpack(ret, id, zdebug))
		return -EBADMSG;
	return 0;
}

int dwarf_sections_load(const struct file_map *image, const char *suffix,
			struct dwarf_sections *ret, struct err *err)
{
	struct dwarf_sections sections = { 0 };
	GElf_Ehdr ehdr;
	Elf *elf;
	int result = 0;

	(void)elf_version(EV_CURRENT);
	/* libelf wants a writable pointer and only reads */
	elf = image->len ? elf_memory((char *)(uintptr_t)image->data, image->len) : NULL;
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr)) {
		elf_end(elf);
		return err_set(err, -EINVAL, "not an ELF file");
	}
	if (ehdr.e_ident[EI_DATA] != ELFDATA2LSB || ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		result = err_set(err, -ENOTSUP, "debug info of a 32-bit or big-endian machine");
	else if (ehdr.e_type == ET_REL)
		result = err_set(err, -ENOTSUP, "debug info of an unlinked object file");
	for (Elf_Scn *scn = NULL; !result && (scn = elf_nextscn(elf, scn));)
		if (load_section(elf, scn, suffix, &sections))
			result = err_set(err, -EBADMSG, "damaged compressed debug section");
	/* elf_rawdata() of a memory image points into the image, so it outlives the handle */
	elf_end(elf);
	if (result)
		dwarf_sections_done(&sections);
	else
		*ret = sections;
	return result;
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
