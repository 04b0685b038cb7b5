/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units, abbreviations and attribute values of DWARF 2 to 5: the layer that knows how bytes of
 * .debug_info are laid out. Everything is checked against the section it lies in.
 * Format: DWARF 5 standard, chapter 7 and the GNU extensions for supplementary (dwz) files. */
#ifndef SYMBOL_DWARF_UNIT_H
#define SYMBOL_DWARF_UNIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_section.h"

struct dwarf_abbrevs;
struct dwarf_lines;
struct dwarf_functions;
struct dwarf_split;
struct err;

/* A value as read; the meaning of `number` follows from the form. */
struct dwarf_value {
	uint16_t form; /* 0 = the attribute is absent */
	uint64_t number;
	const char *string; /* DW_FORM_string */
};

/* Sizes that forms depend on. */
struct dwarf_encoding {
	uint16_t version;
	uint8_t address_size, offset_size;
};

/* 8 bytes each: a unit that is hit has a thousand of them. */
struct dwarf_attr {
	uint16_t name, form;
	int32_t implicit_const; /* cut: only values of the program's constants are wider */
};

#define DWARF_NOT_FIXED UINT32_MAX

struct dwarf_abbrev {
	uint64_t code;
	uint32_t fixed_size; /* bytes of all attributes, or DWARF_NOT_FIXED */
	uint32_t first;	     /* attribute, in the table's array */
	uint16_t tag;
	uint8_t count;
	bool children;
};

struct dwarf_abbrevs {
	struct dwarf_abbrev *item; /* by code; item[code - 1] when `dense` */
	size_t count;
	struct dwarf_attr *attr;
	bool dense;
};

/* The abbreviation table at one offset, read at first use. */
struct dwarf_abbrev_slot {
	uint64_t offset;
	struct dwarf_encoding encoding;
	bool used, shared; /* by a unit, by several */
	_Atomic(struct dwarf_abbrevs *) table;
	_Atomic(struct dwarf_abbrevs *) whole; /* for readers of variables and types */
};

struct dwarf_unit {
	struct dwarf_file *file;
	uint64_t offset; /* of the header, in .debug_info */
	uint64_t die;	 /* of the first DIE */
	uint64_t end;
	uint64_t abbrev_offset;
	struct dwarf_encoding encoding;
	uint8_t type;	      /* DW_UT_* */
	uint16_t root_tag;    /* 0 = the unit has no readable root DIE */
	uint32_t abbrev_slot; /* in file->abbrev_slot */
	bool has_lines;
	/* from the root DIE */
	uint64_t low_pc, line_offset;
	struct dwarf_value high_pc, ranges;
	uint64_t str_offsets_base, addr_base, rnglists_base, loclists_base;
	uint64_t gnu_ranges_base; /* of a version 4 skeleton, counts for its other half */
	uint64_t ranges_base;	  /* added to DW_AT_ranges */
	const char *name, *comp_dir, *dwo_name;
	uint64_t dwo_id;
	/* built at first use, never changed after */
	_Atomic(struct dwarf_lines *) lines;
	_Atomic(struct dwarf_functions *) functions;
	struct dwarf_split *split; /* of a skeleton, when it was found */
};

/* One ELF file with DWARF in it: the main one, or the supplementary one that dwz made. */
struct dwarf_file {
	struct dwarf_sections sections;
	struct dwarf_unit *unit; /* by offset */
	size_t unit_count;
	struct dwarf_abbrev_slot *abbrev_slot; /* by offset */
	size_t abbrev_slot_count;
	struct dwarf_file *alt; /* where ref_alt and strp_alt point; NULL = none */
	uint64_t damaged;	/* units that could not be read */
	/* bytes of abbreviations that may still be read: tables do not overlap in honest files */
	_Atomic int64_t abbrev_left;
};

/* Scans the unit headers and root DIEs. The sections are in place already. */
void dwarf_file_scan(struct dwarf_file *file);
void dwarf_file_done(struct dwarf_file *file);
/* The unit around an offset of .debug_info, or NULL. */
struct dwarf_unit *dwarf_file_unit(const struct dwarf_file *file, uint64_t offset);

/* NULL when the table is damaged. Thread-safe. */
const struct dwarf_abbrevs *dwarf_unit_abbrevs(const struct dwarf_unit *unit);
/* The same with the attributes of all DIEs; those of variables and types are left out above. */
const struct dwarf_abbrevs *dwarf_unit_whole_abbrevs(const struct dwarf_unit *unit);
/* A reader from an offset of .debug_info to the end of the unit. */
struct reader dwarf_unit_reader(const struct dwarf_unit *unit, uint64_t offset);
const struct dwarf_abbrev *dwarf_abbrev_search(const struct dwarf_abbrevs *abbrevs, uint64_t code);

static inline const struct dwarf_abbrev *dwarf_abbrev_find(const struct dwarf_abbrevs *abbrevs,
							   uint64_t code)
{
	if (abbrevs->dense)
		return code - 1 < abbrevs->count ? &abbrevs->item[code - 1] : NULL;
	return dwarf_abbrev_search(abbrevs, code);
}

/* The size of all values together if every form has a fixed size, else DWARF_NOT_FIXED. */
uint32_t dwarf_fixed_size(struct dwarf_encoding encoding, const struct dwarf_attr *attr,
			  size_t count);
/* Both set reader.failed for a form they do not know. */
void dwarf_skip_form(struct reader *r, struct dwarf_encoding encoding, uint64_t form);
void dwarf_read_form(struct reader *r, struct dwarf_encoding encoding,
		     const struct dwarf_attr *attr, struct dwarf_value *ret);
/* Moves over the attributes of a DIE. */
void dwarf_skip_attrs(struct reader *r, const struct dwarf_unit *unit,
		      const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev);

/* The interpretation of a value. NULL or false if it is absent, of another class, or out of
 * bounds. */
const char *dwarf_value_string(const struct dwarf_unit *unit, const struct dwarf_value *value);
bool dwarf_value_address(const struct dwarf_unit *unit, const struct dwarf_value *value,
			 uint64_t *ret);
bool dwarf_value_number(const struct dwarf_value *value, uint64_t *ret);
/* The DIE a reference points at and the file it is in. */
bool dwarf_value_ref(const struct dwarf_unit *unit, const struct dwarf_value *value,
		     struct dwarf_file **ret_file, uint64_t *ret_offset);
/* Entry `index` of .debug_addr. */
bool dwarf_unit_addrx(const struct dwarf_unit *unit, uint64_t index, uint64_t *ret);

#endif
