// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds debug sections by name (see dwarf_section.h); proc/elf_unpack unpacks them. */
#include "symbol/dwarf/dwarf_section.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/elf_unpack.h"

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
