// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds debug sections by name (see dwarf_section.h); proc/elf_unpack unpacks them. */
#include "symbol/dwarf/dwarf_section.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/elf_unpack.h"
#include "proc/section_cache.h"

#define NAME_BYTES 32 /* of ".debug_str_offsets" and a NUL, at least */
/* Longer names and paths count as damage. */
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
	[DWARF_LOC] = "loc",
	[DWARF_LOCLISTS] = "loclists",
	[DWARF_ALT_LINK] = NULL,
};

/* The id of a section name, or DWARF_SECTIONS. */
static enum dwarf_section section_id(const char *name, const char *suffix)
{
	bool zdebug = !strncmp(name, ".zdebug_", 8);

	if (!strcmp(name, ".gnu_debugaltlink"))
		return DWARF_ALT_LINK;
	if (!zdebug && strncmp(name, ".debug_", 7))
		return DWARF_SECTIONS;
	name += zdebug ? 8 : 7;
	for (int id = 0; id < DWARF_ALT_LINK; id++) {
		size_t len = strlen(names[id]);

		if (!strncmp(name, names[id], len) && !strcmp(name + len, suffix))
			return (enum dwarf_section)id;
	}
	return DWARF_SECTIONS;
}

static void name_of(enum dwarf_section id, char *ret)
{
	(void)snprintf(ret, NAME_BYTES, ".debug_%s", names[id]);
}

/* From a cache. The size is compared although it belongs to that very file: a disk may be damaged.
 */
static bool take_unpacked(const struct elf_file *elf, const struct elf_section *packed,
			  enum dwarf_section id, struct dwarf_sections *ret)
{
	struct bytes *bytes = &ret->section[id];
	const struct elf_section *section;
	char name[NAME_BYTES];
	uint64_t size;

	if (!ret->cache || !elf_section_packed_size(elf, packed, &size))
		return false;
	if (!ret->asked)
		ret->unpacked = section_cache_get(ret->cache, elf);
	ret->asked = true;
	if (!ret->unpacked)
		return false;
	name_of(id, name);
	section = elf_file_section(ret->unpacked, name);
	return section && section->size == size &&
	       elf_section_data(ret->unpacked, section, &bytes->data, &bytes->len);
}

/* Those that had to be unpacked. */
static void offer_unpacked(const struct elf_file *elf, const struct dwarf_sections *sections)
{
	char name[DWARF_SECTIONS][NAME_BYTES];
	struct unpacked_section section[DWARF_SECTIONS];
	size_t count = 0;

	for (int id = 0; id < DWARF_ALT_LINK; id++) {
		if (!sections->owned[id])
			continue;
		name_of((enum dwarf_section)id, name[id]);
		section[count++] = (struct unpacked_section){ name[id], sections->section[id].data,
							      sections->section[id].len };
	}
	if (count)
		section_cache_put(sections->cache, elf, section, count);
}

/* False = damaged. */
static bool load_section(const struct elf_file *elf, const struct elf_section *section,
			 const char *suffix, struct dwarf_sections *ret)
{
	enum dwarf_section id = section_id(section->name, suffix);
	int code;

	if (id == DWARF_SECTIONS || ret->section[id].data)
		return true;
	if ((id == DWARF_LOC || id == DWARF_LOCLISTS) && !ret->locations)
		return true;
	if (take_unpacked(elf, section, id, ret))
		return true;
	code = elf_section_contents(elf, section, &ret->section[id].data, &ret->section[id].len,
				    &ret->owned[id]);
	return code == 0 || code == -ENODATA;
}

int dwarf_sections_load(const struct elf_file *elf, const char *suffix, struct dwarf_sections *ret,
			struct err *err)
{
	struct dwarf_sections sections = { .dwo = *suffix, .locations = ret->locations };

	if (elf->swap)
		return err_set(err, -ENOTSUP, "debug info has the other byte order");
	if (!sections.dwo)
		sections.cache = ret->cache;
	for (size_t i = 0; i < elf->section_count; i++) {
		if (load_section(elf, &elf->section[i], suffix, &sections))
			continue;
		dwarf_sections_done(&sections);
		return err_set(err, -EBADMSG, "damaged compressed debug section %s",
			       elf->section[i].name);
	}
	if (sections.asked && !sections.unpacked)
		offer_unpacked(elf, &sections);
	*ret = sections;
	return 0;
}

void dwarf_sections_done(struct dwarf_sections *sections)
{
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		free(sections->owned[i]);
	elf_file_close(sections->unpacked);
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
