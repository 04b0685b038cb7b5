/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single DIEs (see dwarf_die.h). */
#include "symbol/dwarf/dwarf_die.h"

#include <dwarf.h>
#include <string.h>

#include "symbol/dwarf/dwarf_range.h"

/* DIEs from an instance to what it is an instance of, and on to its declaration. */
#define MAX_HOPS 16
/* Ranges of one DIE that are looked at. */
#define MAX_RANGES 4096
/* Nesting; that of blocks and types in honest programs is below a hundred. */
#define MAX_DEPTH 1024

/* The DIE at the reader's place, which moves to its first value. */
static bool read_die(struct reader *r, const struct dwarf_unit *unit,
		     const struct dwarf_abbrevs *abbrevs, struct dwarf_die *ret)
{
	uint64_t offset = (uint64_t)(r->pos - unit->file->sections.section[DWARF_INFO].data);
	uint64_t code = read_uleb(r);
	const struct dwarf_abbrev *abbrev = code ? dwarf_abbrev_find(abbrevs, code) : NULL;

	if (!abbrev || r->failed)
		return false;
	*ret = (struct dwarf_die){ unit, abbrevs, abbrev, *r, offset, abbrev->tag };
	return true;
}

bool dwarf_die_read(const struct dwarf_unit *unit, uint64_t offset, struct dwarf_die *ret)
{
	const struct dwarf_abbrevs *abbrevs = dwarf_unit_whole_abbrevs(unit);
	struct reader r = dwarf_unit_reader(unit, offset);

	return abbrevs && !r.failed && read_die(&r, unit, abbrevs, ret);
}

/* Moves a reader to the value of an attribute. */
static const struct dwarf_attr *find_attr(const struct dwarf_die *die, uint16_t name,
					  struct reader *ret)
{
	const struct dwarf_attr *attr;

	if (!die->tag)
		return NULL;
	attr = die->abbrevs->attr + die->abbrev->first;
	*ret = die->values;
	for (uint32_t i = 0; i < die->abbrev->count && !ret->failed; i++) {
		if (attr[i].name == name)
			return &attr[i];
		dwarf_skip_form(ret, die->unit->encoding, attr[i].form);
	}
	return NULL;
}

bool dwarf_die_attr(const struct dwarf_die *die, uint16_t name, struct dwarf_value *ret)
{
	struct reader r;
	const struct dwarf_attr *attr = find_attr(die, name, &r);
	struct dwarf_value value = { 0 };

	if (!attr)
		return false;
	dwarf_read_form(&r, die->unit->encoding, attr, &value);
	if (r.failed)
		return false;
	*ret = value;
	return true;
}

bool dwarf_die_block(const struct dwarf_die *die, uint16_t name, struct bytes *ret)
{
	struct reader r;
	const struct dwarf_attr *attr = find_attr(die, name, &r);
	uint64_t len;

	if (!attr)
		return false;
	switch (attr->form) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
		len = read_uleb(&r);
		break;
	case DW_FORM_block1:
		len = read_u8(&r);
		break;
	case DW_FORM_block2:
		len = read_u16(&r);
		break;
	case DW_FORM_block4:
		len = read_u32(&r);
		break;
	default:
		return false;
	}
	if (r.failed || len > reader_left(&r))
		return false;
	*ret = (struct bytes){ r.pos, (size_t)len };
	return true;
}

uint64_t dwarf_die_number(const struct dwarf_die *die, uint16_t name)
{
	struct dwarf_value value;
	uint64_t number;

	return dwarf_die_attr(die, name, &value) && dwarf_value_number(&value, &number) ? number
											: 0;
}

bool dwarf_die_has(const struct dwarf_die *die, uint16_t name)
{
	struct reader ignored;

	return find_attr(die, name, &ignored) != NULL;
}

bool dwarf_die_ref(const struct dwarf_die *die, uint16_t name, struct dwarf_die *ret)
{
	const struct dwarf_unit *unit;
	struct dwarf_value value;
	struct dwarf_file *file;
	uint64_t offset;

	if (!dwarf_die_attr(die, name, &value) ||
	    !dwarf_value_ref(die->unit, &value, &file, &offset))
		return false;
	unit = dwarf_file_unit(file, offset);
	return unit && dwarf_die_read(unit, offset, ret);
}

bool dwarf_die_with(const struct dwarf_die *die, uint16_t name, struct dwarf_die *ret)
{
	struct dwarf_die at = *die;

	for (int hop = 0; hop < MAX_HOPS; hop++) {
		struct dwarf_die next;

		if (dwarf_die_has(&at, name)) {
			*ret = at;
			return true;
		}
		if (!dwarf_die_ref(&at, DW_AT_abstract_origin, &next) &&
		    !dwarf_die_ref(&at, DW_AT_specification, &next))
			return false;
		at = next;
	}
	return false;
}

const char *dwarf_die_name(const struct dwarf_die *die)
{
	struct dwarf_value value;
	struct dwarf_die named;
	const char *name;

	if (!dwarf_die_with(die, DW_AT_name, &named) || !dwarf_die_attr(&named, DW_AT_name, &value))
		return NULL;
	name = dwarf_value_string(named.unit, &value);
	return name && *name ? name : NULL;
}

static void die_ranges(const struct dwarf_die *die, struct dwarf_ranges *ret)
{
	struct dwarf_extent extent = { 0 };

	*ret = (struct dwarf_ranges){ .left = MAX_RANGES };
	(void)dwarf_die_attr(die, DW_AT_low_pc, &extent.low_pc); /* absent stays 0 */
	(void)dwarf_die_attr(die, DW_AT_high_pc, &extent.high_pc);
	(void)dwarf_die_attr(die, DW_AT_ranges, &extent.ranges);
	dwarf_add_ranges(die->unit, &extent, 0, ret);
}

bool dwarf_die_covers(const struct dwarf_die *die, uint64_t vaddr, bool absent)
{
	struct dwarf_ranges ranges;
	bool covers = false;

	if (!dwarf_die_has(die, DW_AT_low_pc) && !dwarf_die_has(die, DW_AT_ranges))
		return absent;
	die_ranges(die, &ranges);
	for (size_t i = 0; i < ranges.list.count && !covers; i++)
		covers = vaddr >= ranges.list.item[i].start && vaddr < ranges.list.item[i].end;
	vec_done(&ranges.list);
	return covers;
}

bool dwarf_die_entry(const struct dwarf_die *die, uint64_t *ret)
{
	struct dwarf_ranges ranges;
	struct dwarf_value value;
	uint64_t entry;
	bool found;

	if (dwarf_die_attr(die, DW_AT_entry_pc, &value) &&
	    dwarf_value_address(die->unit, &value, &entry)) {
		*ret = entry;
		return true;
	}
	die_ranges(die, &ranges);
	found = ranges.list.count > 0;
	if (found) /* compilers begin with the part that has the entry */
		*ret = ranges.list.item[0].start;
	vec_done(&ranges.list);
	return found;
}

void dwarf_walk_start(struct dwarf_walk *walk, const struct dwarf_die *parent)
{
	*walk = (struct dwarf_walk){ .unit = parent->unit,
				     .abbrevs = parent->abbrevs,
				     .reader = parent->values,
				     .skip_below = SIZE_MAX };
	dwarf_skip_attrs(&walk->reader, parent->unit, parent->abbrevs, parent->abbrev);
	walk->next_depth = parent->abbrev->children ? 1 : 0;
}

bool dwarf_walk_unit(struct dwarf_walk *walk, const struct dwarf_unit *unit)
{
	struct dwarf_die root;

	if (!dwarf_die_read(unit, unit->die, &root))
		return false;
	dwarf_walk_start(walk, &root);
	return true;
}

bool dwarf_walk_next(struct dwarf_walk *walk, struct dwarf_die *ret)
{
	while (walk->next_depth && walk->next_depth < MAX_DEPTH && reader_left(&walk->reader)) {
		struct dwarf_die die;
		size_t depth = walk->next_depth;

		if (!*walk->reader.pos) { /* the end of a list of children */
			walk->reader.pos++;
			walk->next_depth--;
			continue;
		}
		if (!read_die(&walk->reader, walk->unit, walk->abbrevs, &die))
			break;
		dwarf_skip_attrs(&walk->reader, walk->unit, walk->abbrevs, die.abbrev);
		if (die.abbrev->children)
			walk->next_depth++;
		if (depth > walk->skip_below)
			continue;
		walk->skip_below = SIZE_MAX;
		walk->depth = depth;
		*ret = die;
		return true;
	}
	walk->next_depth = 0;
	return false;
}

void dwarf_walk_skip(struct dwarf_walk *walk)
{
	walk->skip_below = walk->depth;
}
