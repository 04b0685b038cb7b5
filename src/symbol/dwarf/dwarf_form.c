// SPDX-License-Identifier: GPL-2.0-or-later
/* Attribute forms: how long each is and what it means (see dwarf_unit.h). */
#include <dwarf.h>

#include "symbol/dwarf/dwarf_unit.h"

/* Skips values that are not plain numbers. */
static void skip_rare_form(struct reader *r, struct dwarf_encoding encoding, uint64_t form)
{
	switch (form) {
	case DW_FORM_block1:
		read_skip(r, read_u8(r));
		break;
	case DW_FORM_block2:
		read_skip(r, read_u16(r));
		break;
	case DW_FORM_block4:
		read_skip(r, read_u32(r));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		read_skip(r, read_uleb(r));
		break;
	case DW_FORM_data16:
		read_skip(r, 16);
		break;
	case DW_FORM_indirect:
		form = read_uleb(r);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			reader_fail(r);
		else
			dwarf_skip_form(r, encoding, form);
		break;
	default:
		reader_fail(r);
	}
}

/* The size of a form if it is fixed, else -1. */
static int form_size(struct dwarf_encoding encoding, uint64_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return encoding.address_size;
	case DW_FORM_ref_addr:
		return encoding.version < 3 ? encoding.address_size : encoding.offset_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return encoding.offset_size;
	default:
		return -1;
	}
}

static bool is_leb(uint64_t form)
{
	switch (form) {
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return true;
	default:
		return false;
	}
}

void dwarf_skip_form(struct reader *r, struct dwarf_encoding encoding, uint64_t form)
{
	int size = form_size(encoding, form);

	if (size >= 0)
		read_skip(r, (uint64_t)size);
	else if (is_leb(form))
		(void)read_uleb(r);
	else if (form == DW_FORM_string)
		(void)read_string(r);
	else
		skip_rare_form(r, encoding, form);
}

uint32_t dwarf_fixed_size(struct dwarf_encoding encoding, const struct dwarf_attr *attr,
			  size_t count)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		int size = form_size(encoding, attr[i].form);

		if (size < 0)
			return DWARF_NOT_FIXED;
		sum += (uint32_t)size;
	}
	return sum;
}

void dwarf_read_form(struct reader *r, struct dwarf_encoding encoding,
		     const struct dwarf_attr *attr, struct dwarf_value *ret)
{
	uint64_t form = attr->form;
	int size;

	if (form == DW_FORM_indirect) {
		form = read_uleb(r);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const || form > UINT16_MAX)
			return reader_fail(r);
	}
	size = form_size(encoding, form);
	*ret = (struct dwarf_value){ .form = (uint16_t)form };
	if (form == DW_FORM_implicit_const)
		ret->number = (uint64_t)attr->implicit_const;
	else if (form == DW_FORM_flag_present)
		ret->number = 1;
	else if (size >= 0 && size <= 8)
		ret->number = read_uint(r, (size_t)size);
	else if (form == DW_FORM_sdata)
		ret->number = (uint64_t)read_sleb(r);
	else if (is_leb(form))
		ret->number = read_uleb(r);
	else if (form == DW_FORM_string)
		ret->string = read_string(r);
	else
		dwarf_skip_form(r, encoding, form);
}

void dwarf_skip_attrs(struct reader *r, const struct dwarf_unit *unit,
		      const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev)
{
	const struct dwarf_attr *attr = abbrevs->attr + abbrev->first;

	if (abbrev->fixed_size != DWARF_NOT_FIXED)
		return read_skip(r, abbrev->fixed_size);
	for (uint32_t i = 0; i < abbrev->count; i++)
		dwarf_skip_form(r, unit->encoding, attr[i].form);
}

/* Entry `index` of a table of equal numbers. */
static bool table_entry(struct bytes table, uint64_t base, uint64_t index, size_t size,
			uint64_t *ret)
{
	struct reader r;
	uint64_t value;

	if (index > table.len / size)
		return false;
	r = reader_at(table, base);
	read_skip(&r, index * size);
	value = read_uint(&r, size);
	if (r.failed)
		return false;
	*ret = value;
	return true;
}

bool dwarf_unit_addrx(const struct dwarf_unit *unit, uint64_t index, uint64_t *ret)
{
	return table_entry(unit->file->sections.section[DWARF_ADDR], unit->addr_base, index,
			   unit->encoding.address_size, ret);
}

static const char *string_at(const struct dwarf_file *file, enum dwarf_section id, uint64_t offset)
{
	return file ? dwarf_section_string(&file->sections, id, offset) : NULL;
}

const char *dwarf_value_string(const struct dwarf_unit *unit, const struct dwarf_value *value)
{
	const struct dwarf_file *file = unit->file;
	uint64_t offset;

	switch (value->form) {
	case DW_FORM_string:
		return value->string;
	case DW_FORM_strp:
		return string_at(file, DWARF_STR, value->number);
	case DW_FORM_line_strp:
		return string_at(file, DWARF_LINE_STR, value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return string_at(file->alt, DWARF_STR, value->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		if (!table_entry(file->sections.section[DWARF_STR_OFFSETS], unit->str_offsets_base,
				 value->number, unit->encoding.offset_size, &offset))
			return NULL;
		return string_at(file, DWARF_STR, offset);
	default:
		return NULL;
	}
}

bool dwarf_value_address(const struct dwarf_unit *unit, const struct dwarf_value *value,
			 uint64_t *ret)
{
	switch (value->form) {
	case DW_FORM_addr:
		*ret = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return dwarf_unit_addrx(unit, value->number, ret);
	default:
		return false;
	}
}

bool dwarf_value_number(const struct dwarf_value *value, uint64_t *ret)
{
	switch (value->form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
	case DW_FORM_sec_offset:
	case DW_FORM_flag:
	case DW_FORM_flag_present:
	case DW_FORM_rnglistx:
		*ret = value->number;
		return true;
	default:
		return false;
	}
}

bool dwarf_value_ref(const struct dwarf_unit *unit, const struct dwarf_value *value,
		     struct dwarf_file **ret_file, uint64_t *ret_offset)
{
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*ret_file = unit->file;
		*ret_offset = unit->offset + value->number;
		return true;
	case DW_FORM_ref_addr:
		*ret_file = unit->file;
		*ret_offset = value->number;
		return true;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		if (!unit->file->alt)
			return false;
		*ret_file = unit->file->alt;
		*ret_offset = value->number;
		return true;
	default:
		return false;
	}
}
