// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens .dwo and .dwp files (see dwarf_split.h). A unit is accepted only with the skeleton's id,
 * for a .dwo file is overwritten by the next compilation. */
#include "symbol/dwarf/dwarf_split.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "symbol/dwarf/dwarf_unit.h"

/* More sections per unit than there are kinds. */
#define MAX_COLUMNS 16

struct dwarf_package {
	struct elf_file *elf;
	struct dwarf_sections sections;
	struct bytes index; /* .debug_cu_index */
	uint16_t version;   /* of the index: 5, or 2 for GNU's */
	uint32_t columns, units, slots;
};

struct dwarf_split {
	struct elf_file *elf; /* NULL when in a package */
	struct dwarf_file file;
	struct dwarf_unit *unit;
};

static bool read_index_header(struct dwarf_package *package)
{
	struct reader r = reader_at(package->index, 0);

	package->version = read_u16(&r);
	(void)read_u16(&r); /* padding, or the upper half of GNU's version */
	package->columns = read_u32(&r);
	package->units = read_u32(&r);
	package->slots = read_u32(&r);
	return !r.failed && (package->version == 5 || package->version == 2) &&
	       package->columns <= MAX_COLUMNS && package->slots &&
	       !(package->slots & (package->slots - 1));
}

struct dwarf_package *dwarf_package_open(const struct elf_file *elf, bool locations)
{
	struct dwarf_package *package = mem_zalloc(sizeof(*package));
	const struct elf_section *index;
	char path[PATH_MAX];
	struct err ignored; /* most programs have none */
	int len = snprintf(path, sizeof(path), "%s.dwp", elf->path);

	package->sections.locations = locations;
	if (*elf->path && len > 0 && len < (int)sizeof(path) &&
	    !elf_file_open(path, &package->elf, &ignored) &&
	    !dwarf_sections_load(package->elf, ".dwo", &package->sections, &ignored)) {
		index = elf_file_section(package->elf, ".debug_cu_index");
		if (index &&
		    elf_section_data(package->elf, index, &package->index.data,
				     &package->index.len) &&
		    read_index_header(package))
			return package;
	}
	dwarf_package_close(package);
	return NULL;
}

void dwarf_package_close(struct dwarf_package *package)
{
	if (!package)
		return;
	dwarf_sections_done(&package->sections);
	elf_file_close(package->elf);
	free(package);
}

/* The row of a unit in the index's hash table, counted from 1; 0 = it is not there. */
static uint32_t find_row(const struct dwarf_package *package, uint64_t id)
{
	uint32_t mask = package->slots - 1;
	uint32_t slot = (uint32_t)id & mask;
	uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < package->slots; i++, slot = (slot + step) & mask) {
		uint64_t rows = 16 + (uint64_t)package->slots * 8;
		struct reader ids = reader_at(package->index, 16 + (uint64_t)slot * 8);
		struct reader row = reader_at(package->index, rows + (uint64_t)slot * 4);
		uint64_t found = read_u64(&ids);
		uint32_t number = read_u32(&row);

		if (row.failed || !number)
			return 0;
		if (found == id)
			return number <= package->units ? number : 0;
	}
	return 0;
}

/* Our section of a column's DW_SECT_* number. */
static enum dwarf_section column_section(uint16_t version, uint32_t column)
{
	switch (column) {
	case 1:
		return DWARF_INFO;
	case 3:
		return DWARF_ABBREV;
	case 5:
		return version == 5 ? DWARF_LOCLISTS : DWARF_LOC;
	case 6:
		return DWARF_STR_OFFSETS;
	case 8: /* GNU's 8 is of macros */
		return version == 5 ? DWARF_RNGLISTS : DWARF_SECTIONS;
	default:
		return DWARF_SECTIONS;
	}
}

/* Cuts the unit's part out of each section of the package. */
static bool cut_sections(const struct dwarf_package *package, uint64_t id,
			 struct dwarf_sections *ret)
{
	uint64_t columns = 16 + (uint64_t)package->slots * 12;
	uint64_t row_bytes = (uint64_t)package->columns * 4;
	uint32_t row = find_row(package, id);
	struct reader names = reader_at(package->index, columns);
	struct reader offsets = reader_at(package->index, columns + row * row_bytes);
	struct reader sizes =
		reader_at(package->index, columns + (package->units + row) * row_bytes);

	if (!row)
		return false;
	ret->section[DWARF_STR] = package->sections.section[DWARF_STR];
	ret->dwo = true;
	for (uint32_t i = 0; i < package->columns; i++) {
		enum dwarf_section section = column_section(package->version, read_u32(&names));
		uint32_t offset = read_u32(&offsets);
		uint32_t size = read_u32(&sizes);
		struct bytes whole;

		if (names.failed || offsets.failed || sizes.failed)
			return false;
		if (section == DWARF_SECTIONS)
			continue;
		whole = package->sections.section[section];
		if (!whole.data && !package->sections.locations &&
		    (section == DWARF_LOC || section == DWARF_LOCLISTS))
			continue;
		if (offset > whole.len || size > whole.len - offset)
			return false;
		ret->section[section] = (struct bytes){ whole.data + offset, size };
	}
	return true;
}

static struct elf_file *open_path(const char *dir, int dir_len, const char *name)
{
	char path[PATH_MAX];
	struct elf_file *elf;
	struct err ignored; /* it may be elsewhere */
	int len = snprintf(path, sizeof(path), "%.*s%s%s", dir_len, dir, dir_len ? "/" : "", name);

	if (len < 0 || len >= (int)sizeof(path) || elf_file_open(path, &elf, &ignored))
		return NULL;
	return elf;
}

/* The .dwo file where the compiler put it, or beside the program. */
static struct elf_file *open_dwo(const struct elf_file *elf, const struct dwarf_unit *skeleton)
{
	const char *name = skeleton->dwo_name;
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	const char *slash = strrchr(elf->path, '/');
	const char *dir = skeleton->comp_dir ? skeleton->comp_dir : "";
	char below_root[PATH_MAX];
	struct elf_file *ret = NULL;
	int len = snprintf(below_root, sizeof(below_root), "%.*s%s%s%s", (int)elf->root_len,
			   elf->path, *name == '/' ? "" : dir, *name == '/' ? "" : "/", name);

	if (len > 0 && len < (int)sizeof(below_root) && (*name == '/' || *dir == '/'))
		ret = open_path("", 0, below_root);
	if (!ret && slash && *name != '/')
		ret = open_path(elf->path, (int)(slash - elf->path), name);
	if (!ret && slash && base != name)
		ret = open_path(elf->path, (int)(slash - elf->path), base);
	return ret;
}

/* Finds the unit with the skeleton's id and adds the attributes that only the skeleton has. */
static bool link_unit(struct dwarf_split *split, const struct dwarf_unit *skeleton)
{
	const struct dwarf_sections *main = &skeleton->file->sections;
	uint64_t long_header;

	split->file.sections.section[DWARF_ADDR] = main->section[DWARF_ADDR];
	if (skeleton->encoding.version < 5)
		split->file.sections.section[DWARF_RANGES] = main->section[DWARF_RANGES];
	dwarf_file_scan(&split->file);
	for (size_t i = 0; i < split->file.unit_count && !split->unit; i++)
		if (split->file.unit[i].dwo_id == skeleton->dwo_id &&
		    split->file.unit[i].root_tag == DW_TAG_compile_unit)
			split->unit = &split->file.unit[i];
	if (!split->unit)
		return false;
	long_header = split->unit->encoding.offset_size == 8 ? 8 : 0;
	if (split->unit->encoding.version >= 5) {
		split->unit->str_offsets_base = 8 + long_header;
		split->unit->rnglists_base = 12 + long_header;
		split->unit->loclists_base = 12 + long_header;
	}
	split->unit->addr_base = skeleton->addr_base;
	split->unit->ranges_base = skeleton->gnu_ranges_base;
	split->unit->low_pc = skeleton->low_pc;
	return true;
}

struct dwarf_split *dwarf_split_open(const struct elf_file *elf,
				     const struct dwarf_package *package,
				     const struct dwarf_unit *skeleton)
{
	struct dwarf_split *split = mem_zalloc(sizeof(*split));
	struct err ignored; /* a damaged file counts as missing */

	split->file.sections.locations = skeleton->file->sections.locations;
	if (package && cut_sections(package, skeleton->dwo_id, &split->file.sections)) {
		if (link_unit(split, skeleton))
			return split;
	} else {
		split->elf = open_dwo(elf, skeleton);
		if (split->elf &&
		    !dwarf_sections_load(split->elf, ".dwo", &split->file.sections, &ignored) &&
		    link_unit(split, skeleton))
			return split;
	}
	dwarf_split_close(split);
	return NULL;
}

void dwarf_split_close(struct dwarf_split *split)
{
	if (!split)
		return;
	dwarf_file_done(&split->file);
	elf_file_close(split->elf);
	free(split);
}

const struct dwarf_unit *dwarf_split_unit(const struct dwarf_split *split)
{
	return split->unit;
}

size_t dwarf_split_size(const struct dwarf_split *split)
{
	return split->file.sections.section[DWARF_INFO].len +
	       split->file.sections.section[DWARF_RNGLISTS].len;
}
