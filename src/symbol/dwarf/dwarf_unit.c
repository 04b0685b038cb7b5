// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit headers, root DIEs and abbreviation tables (see dwarf_unit.h). */
#include "symbol/dwarf/dwarf_unit.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/vec.h"

/* Declarations looked at before a table of many units is read to find the one of a root DIE:
 * compilers put it first, dwz orders them by use. */
#define ROOT_TRIES 8
/* Limit of attributes per DIE: attributes of size 0 would make a small file slow. */
#define MAX_ATTRS 128

/* Reads the declaration at the reader's place; false at the end of the table. */
static bool read_abbrev(struct reader *r, struct dwarf_abbrev *ret)
{
	ret->code = read_uleb(r);
	if (!ret->code)
		return false;
	ret->tag = (uint16_t)read_uleb(r);
	ret->children = read_u8(r) == DW_CHILDREN_yes;
	return !r->failed;
}

/* Reads one attribute specification; false at the end of the declaration. */
static bool read_attr(struct reader *r, struct dwarf_attr *ret)
{
	uint64_t name = read_uleb(r);
	uint64_t form = read_uleb(r);

	*ret = (struct dwarf_attr){ .name = (uint16_t)name, .form = (uint16_t)form };
	if (form == DW_FORM_implicit_const)
		ret->implicit_const = (int32_t)read_sleb(r);
	if (name > UINT16_MAX || form > UINT16_MAX)
		reader_fail(r);
	return !r->failed && (name || form);
}

static int compare_abbrev(const void *a, const void *b)
{
	uint64_t x = ((const struct dwarf_abbrev *)a)->code;
	uint64_t y = ((const struct dwarf_abbrev *)b)->code;

	return x < y ? -1 : x > y;
}

static void abbrevs_free(struct dwarf_abbrevs *abbrevs)
{
	if (!abbrevs)
		return;
	free(abbrevs->item);
	free(abbrevs->attr);
	free(abbrevs);
}

/* A reader of the table at `offset` that ends where the budget does. */
static struct reader abbrev_reader(const struct dwarf_file *file, uint64_t offset)
{
	struct reader r = reader_at(file->sections.section[DWARF_ABBREV], offset);
	int64_t left = atomic_load(&file->abbrev_left);

	if (left < (int64_t)reader_left(&r))
		r.end = r.pos + (left > 0 ? left : 0);
	return r;
}

/* True if DIEs of that tag are only skipped: the many with unused attributes. */
static bool is_passed_over(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
	case DW_TAG_member:
	case DW_TAG_lexical_block:
	case DW_TAG_call_site:
	case DW_TAG_call_site_parameter:
	case DW_TAG_GNU_call_site:
	case DW_TAG_GNU_call_site_parameter:
	case DW_TAG_label:
	case DW_TAG_typedef:
	case DW_TAG_pointer_type:
	case DW_TAG_array_type:
	case DW_TAG_subrange_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_enumerator:
	case DW_TAG_subroutine_type:
	case DW_TAG_const_type:
		return true;
	default:
		return false;
	}
}

/* A table; memory is in proportion to its bytes. `whole`: with the attributes of all DIEs. */
static struct dwarf_abbrevs *read_abbrevs(struct dwarf_file *file,
					  const struct dwarf_abbrev_slot *slot, bool whole)
{
	struct reader r = abbrev_reader(file, slot->offset);
	const uint8_t *start = r.pos;
	struct dwarf_abbrevs *ret = mem_zalloc(sizeof(*ret));
	VEC(struct dwarf_abbrev) abbrevs = { 0 };
	VEC(struct dwarf_attr) attrs = { 0 };
	struct dwarf_abbrev abbrev;
	struct dwarf_attr attr;

	ret->dense = true;
	vec_reserve(&attrs, 1); /* never NULL, for tables of DIEs without attributes */
	while (read_abbrev(&r, &abbrev)) {
		abbrev.first = (uint32_t)attrs.count;
		while (read_attr(&r, &attr))
			vec_push(&attrs, attr);
		if (r.failed || attrs.count - abbrev.first > MAX_ATTRS)
			break;
		abbrev.count = (uint8_t)(attrs.count - abbrev.first);
		abbrev.fixed_size =
			dwarf_fixed_size(slot->encoding, attrs.item + abbrev.first, abbrev.count);
		if (!whole && abbrev.fixed_size != DWARF_NOT_FIXED && is_passed_over(abbrev.tag)) {
			attrs.count = abbrev.first;
			abbrev.count = 0;
		}
		ret->dense &= abbrev.code == abbrevs.count + 1;
		vec_push(&abbrevs, abbrev);
	}
	atomic_fetch_sub(&file->abbrev_left, r.pos - start);
	if (!ret->dense)
		qsort(abbrevs.item, abbrevs.count, sizeof(*abbrevs.item), compare_abbrev);
	vec_trim(&abbrevs);
	vec_trim(&attrs);
	ret->item = abbrevs.item;
	ret->count = abbrevs.count;
	ret->attr = attrs.item;
	return ret;
}

const struct dwarf_abbrev *dwarf_abbrev_search(const struct dwarf_abbrevs *abbrevs, uint64_t code)
{
	struct dwarf_abbrev key = { .code = code };

	if (!abbrevs->count)
		return NULL;
	return bsearch(&key, abbrevs->item, abbrevs->count, sizeof(key), compare_abbrev);
}

/* The table in its place of the slot, read at the first use. */
static const struct dwarf_abbrevs *slot_table(const struct dwarf_unit *unit,
					      _Atomic(struct dwarf_abbrevs *) *place, bool whole)
{
	const struct dwarf_abbrev_slot *slot = &unit->file->abbrev_slot[unit->abbrev_slot];
	struct dwarf_abbrevs *table = atomic_load_explicit(place, memory_order_acquire);
	struct dwarf_abbrevs *mine;

	if (table)
		return table;
	mine = read_abbrevs(unit->file, slot, whole);
	if (atomic_compare_exchange_strong(place, &table, mine))
		return mine;
	abbrevs_free(mine); /* another thread was faster */
	return table;
}

const struct dwarf_abbrevs *dwarf_unit_abbrevs(const struct dwarf_unit *unit)
{
	return slot_table(unit, &unit->file->abbrev_slot[unit->abbrev_slot].table, false);
}

const struct dwarf_abbrevs *dwarf_unit_whole_abbrevs(const struct dwarf_unit *unit)
{
	return slot_table(unit, &unit->file->abbrev_slot[unit->abbrev_slot].whole, true);
}

struct reader dwarf_unit_reader(const struct dwarf_unit *unit, uint64_t offset)
{
	struct reader r;

	if (offset < unit->die || offset >= unit->end)
		return reader_failed();
	r = reader_at(unit->file->sections.section[DWARF_INFO], offset);
	r.end = r.pos + (unit->end - offset);
	return r;
}

/* Reads the header at the reader's place. The position moves to the next unit whatever the header
 * holds; false when even the length is wrong and nothing can follow. */
static bool read_header(struct reader *r, const uint8_t *start, struct dwarf_unit *ret)
{
	struct reader u = *r;
	const uint8_t *next = read_unit_length(&u, &ret->encoding.offset_size);

	if (!next)
		return false;
	ret->offset = (uint64_t)(r->pos - start);
	ret->end = (uint64_t)(next - start);
	r->pos = next;
	ret->encoding.version = read_u16(&u);
	if (ret->encoding.version >= 5) {
		ret->type = read_u8(&u);
		ret->encoding.address_size = read_u8(&u);
		ret->abbrev_offset = read_uint(&u, ret->encoding.offset_size);
		if (ret->type == DW_UT_skeleton || ret->type == DW_UT_split_compile)
			ret->dwo_id = read_u64(&u);
		else if (ret->type == DW_UT_type || ret->type == DW_UT_split_type)
			read_skip(&u, 8u + ret->encoding.offset_size);
	} else {
		ret->type = DW_UT_compile;
		ret->abbrev_offset = read_uint(&u, ret->encoding.offset_size);
		ret->encoding.address_size = read_u8(&u);
	}
	ret->die = (uint64_t)(u.pos - start);
	if (u.failed || ret->encoding.version < 2 || ret->encoding.version > 5 ||
	    (ret->encoding.address_size != 8 && ret->encoding.address_size != 4))
		ret->type = 0;
	return true;
}

/* The values of a root DIE that are needed; bases must be known before the others mean anything. */
struct root_values {
	struct dwarf_value name, comp_dir, dwo_name, low_pc, high_pc, ranges;
};

static void root_attr(struct dwarf_unit *unit, uint16_t name, const struct dwarf_value *value,
		      struct root_values *root)
{
	switch (name) {
	case DW_AT_name:
		root->name = *value;
		break;
	case DW_AT_comp_dir:
		root->comp_dir = *value;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		root->dwo_name = *value;
		break;
	case DW_AT_low_pc:
		root->low_pc = *value;
		break;
	case DW_AT_high_pc:
		root->high_pc = *value;
		break;
	case DW_AT_ranges:
		root->ranges = *value;
		break;
	case DW_AT_stmt_list:
		unit->has_lines = dwarf_value_number(value, &unit->line_offset);
		break;
	case DW_AT_str_offsets_base:
		unit->str_offsets_base = value->number;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		unit->addr_base = value->number;
		break;
	case DW_AT_rnglists_base:
		unit->rnglists_base = value->number;
		break;
	case DW_AT_loclists_base:
		unit->loclists_base = value->number;
		break;
	case DW_AT_GNU_ranges_base:
		unit->gnu_ranges_base = value->number;
		break;
	case DW_AT_GNU_dwo_id:
		unit->dwo_id = value->number;
		break;
	default:
		break;
	}
}

struct root_abbrev {
	uint16_t tag;
	uint32_t count;
	struct dwarf_attr attr[MAX_ATTRS];
};

/* Finds the declaration of the root DIE without keeping the table, which need not be read before
 * an address hits the unit. A table of many units is worth keeping unless the first ones do. */
static bool peek_root_abbrev(const struct dwarf_unit *unit, uint64_t code, struct root_abbrev *ret)
{
	struct reader r = abbrev_reader(unit->file, unit->abbrev_offset);
	bool shared = unit->file->abbrev_slot[unit->abbrev_slot].shared;
	size_t tries = shared ? ROOT_TRIES : SIZE_MAX;
	const uint8_t *start = r.pos;
	struct dwarf_abbrev abbrev;
	bool found = false;

	for (; tries && !found && read_abbrev(&r, &abbrev); tries--) {
		ret->tag = abbrev.tag;
		ret->count = 0;
		while (ret->count < MAX_ATTRS && read_attr(&r, &ret->attr[ret->count]))
			ret->count++;
		if (r.failed || ret->count == MAX_ATTRS)
			break;
		found = abbrev.code == code;
	}
	if (!shared)
		atomic_fetch_sub(&unit->file->abbrev_left, r.pos - start);
	return found;
}

static bool find_root_abbrev(const struct dwarf_unit *unit, uint64_t code, struct root_abbrev *ret)
{
	const struct dwarf_abbrevs *abbrevs;
	const struct dwarf_abbrev *abbrev;

	if (!code)
		return false;
	if (peek_root_abbrev(unit, code, ret))
		return true;
	abbrevs = dwarf_unit_abbrevs(unit);
	abbrev = dwarf_abbrev_find(abbrevs, code);
	if (!abbrev)
		return false;
	ret->tag = abbrev->tag;
	ret->count = abbrev->count;
	memcpy(ret->attr, abbrevs->attr + abbrev->first, abbrev->count * sizeof(*ret->attr));
	return true;
}

static void read_root(struct dwarf_unit *unit)
{
	struct reader r = dwarf_unit_reader(unit, unit->die);
	struct root_values root = { 0 };
	struct root_abbrev abbrev;

	if (!find_root_abbrev(unit, read_uleb(&r), &abbrev))
		return;
	for (uint32_t i = 0; i < abbrev.count && !r.failed; i++) {
		struct dwarf_value value = { 0 };

		dwarf_read_form(&r, unit->encoding, &abbrev.attr[i], &value);
		root_attr(unit, abbrev.attr[i].name, &value, &root);
	}
	if (r.failed)
		return;
	unit->root_tag = abbrev.tag;
	unit->name = dwarf_value_string(unit, &root.name);
	unit->comp_dir = dwarf_value_string(unit, &root.comp_dir);
	unit->dwo_name = dwarf_value_string(unit, &root.dwo_name);
	unit->high_pc = root.high_pc;
	unit->ranges = root.ranges;
	if (!dwarf_value_address(unit, &root.low_pc, &unit->low_pc))
		unit->low_pc = 0;
}

static int compare_slot(const void *a, const void *b)
{
	const struct dwarf_abbrev_slot *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return memcmp(&x->encoding, &y->encoding, sizeof(x->encoding));
}

/* One slot for each different table; units of a dwz file share theirs by the thousand. */
static void make_abbrev_slots(struct dwarf_file *file)
{
	struct dwarf_abbrev_slot *slot = mem_zalloc(file->unit_count * sizeof(*slot));
	size_t count = 0;

	for (size_t i = 0; i < file->unit_count; i++) {
		slot[i].offset = file->unit[i].abbrev_offset;
		slot[i].encoding = file->unit[i].encoding;
	}
	qsort(slot, file->unit_count, sizeof(*slot), compare_slot);
	for (size_t i = 0; i < file->unit_count; i++)
		if (!count || compare_slot(&slot[count - 1], &slot[i]))
			slot[count++] = slot[i];
	for (size_t i = 0; i < file->unit_count; i++) {
		struct dwarf_abbrev_slot key = { .offset = file->unit[i].abbrev_offset,
						 .encoding = file->unit[i].encoding };
		struct dwarf_abbrev_slot *found =
			bsearch(&key, slot, count, sizeof(key), compare_slot);

		file->unit[i].abbrev_slot = (uint32_t)(found - slot);
		found->shared = found->used;
		found->used = true;
	}
	file->abbrev_slot = slot;
	file->abbrev_slot_count = count;
}

void dwarf_file_scan(struct dwarf_file *file)
{
	struct bytes info = file->sections.section[DWARF_INFO];
	struct reader r = reader_at(info, 0);
	VEC(struct dwarf_unit) units = { 0 };

	atomic_store(&file->abbrev_left, 5 * (int64_t)file->sections.section[DWARF_ABBREV].len);
	while (reader_left(&r)) {
		struct dwarf_unit unit = { .file = file };

		if (!read_header(&r, info.data, &unit)) {
			file->damaged++;
			break;
		}
		if (unit.type)
			vec_push(&units, unit);
		else
			file->damaged++;
	}
	vec_trim(&units);
	file->unit = units.item;
	file->unit_count = units.count;
	make_abbrev_slots(file);
	for (size_t i = 0; i < file->unit_count; i++) {
		read_root(&file->unit[i]);
		file->damaged += !file->unit[i].root_tag;
	}
}

void dwarf_file_done(struct dwarf_file *file)
{
	for (size_t i = 0; i < file->abbrev_slot_count; i++) {
		abbrevs_free(atomic_load(&file->abbrev_slot[i].table));
		abbrevs_free(atomic_load(&file->abbrev_slot[i].whole));
	}
	free(file->abbrev_slot);
	free(file->unit);
	dwarf_sections_done(&file->sections);
}

struct dwarf_unit *dwarf_file_unit(const struct dwarf_file *file, uint64_t offset)
{
	size_t low = 0, high = file->unit_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (file->unit[mid].end <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < file->unit_count && file->unit[low].offset <= offset)
		return &file->unit[low];
	return NULL;
}
