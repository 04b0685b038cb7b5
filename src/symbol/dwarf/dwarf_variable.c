/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions, variables and location lists (see dwarf_variable.h). Format: DWARF 5, section 2.6 and
 * 7.7; DWARF 4, section 2.6.2; for split units of version 4, GNU's "DebugFission" extension. */
#include "symbol/dwarf/dwarf_variable.h"

#include <dwarf.h>
#include <string.h>

#include "symbol/dwarf/dwarf.h"

/* Entries of one location list that are looked at. */
#define MAX_ENTRIES 65536

bool dwarf_function_at(struct dwarf *dwarf, uint64_t vaddr, struct dwarf_die *ret)
{
	const struct dwarf_unit *unit;
	struct dwarf_walk walk;
	struct dwarf_die die;
	size_t number;

	if (!dwarf_unit_find(dwarf, vaddr, &number))
		return false;
	unit = dwarf_unit_dies(dwarf, number);
	if (!unit || !dwarf_walk_unit(&walk, unit))
		return false;
	while (dwarf_walk_next(&walk, &die)) {
		if (die.tag != DW_TAG_subprogram || !dwarf_die_covers(&die, vaddr, false))
			continue;
		*ret = die;
		return true;
	}
	return false;
}

/* The part of a name after its last "::". */
static const char *last_part(const char *name)
{
	const char *at = name;

	for (const char *next = name; (next = strstr(next, "::"));)
		at = next += 2;
	return at;
}

static bool has_linkage_name(const struct dwarf_die *die, const char *name)
{
	struct dwarf_value value;
	struct dwarf_die named;
	const char *linkage;

	if (!dwarf_die_with(die, DW_AT_linkage_name, &named) ||
	    !dwarf_die_attr(&named, DW_AT_linkage_name, &value))
		return false;
	linkage = dwarf_value_string(named.unit, &value);
	return linkage && !strcmp(linkage, name);
}

void dwarf_function_each(struct dwarf *dwarf, const char *name,
			 bool (*visit)(void *context, const struct dwarf_die *function),
			 void *context)
{
	const char *plain = last_part(name);

	for (size_t i = 0; i < dwarf_unit_count(dwarf); i++) {
		const struct dwarf_unit *unit = dwarf_unit_dies(dwarf, i);
		struct dwarf_walk walk;
		struct dwarf_die die;

		if (!unit || !dwarf_walk_unit(&walk, unit))
			continue;
		while (dwarf_walk_next(&walk, &die)) {
			const char *found;

			if (die.tag != DW_TAG_subprogram)
				continue;
			found = dwarf_die_name(&die);
			if ((!found || strcmp(found, plain)) && !has_linkage_name(&die, name))
				continue;
			if (!visit(context, &die))
				return;
		}
	}
}

static bool visit_variable(const struct dwarf_die *die, bool external,
			   bool (*visit)(void *context, const struct dwarf_variable *variable),
			   void *context)
{
	struct dwarf_variable variable = { dwarf_die_name(die), die->tag == DW_TAG_formal_parameter,
					   external, *die };

	return !variable.name || visit(context, &variable);
}

static bool visit_externs(const struct dwarf_unit *unit,
			  bool (*visit)(void *context, const struct dwarf_variable *variable),
			  void *context)
{
	struct dwarf_walk walk;
	struct dwarf_die die;

	if (!dwarf_walk_unit(&walk, unit))
		return true;
	while (dwarf_walk_next(&walk, &die)) {
		if (die.tag != DW_TAG_namespace)
			dwarf_walk_skip(&walk);
		if (die.tag == DW_TAG_variable && dwarf_die_has(&die, DW_AT_location) &&
		    !visit_variable(&die, true, visit, context))
			return false;
	}
	return true;
}

void dwarf_variable_each(const struct dwarf_die *function, uint64_t vaddr, bool externs,
			 bool (*visit)(void *context, const struct dwarf_variable *variable),
			 void *context)
{
	/* a second pass for the locals, which compilers may mix with parameters */
	for (int parameters = 1; parameters >= 0; parameters--) {
		struct dwarf_walk walk;
		struct dwarf_die die;

		dwarf_walk_start(&walk, function);
		while (dwarf_walk_next(&walk, &die)) {
			bool wanted = die.tag ==
				      (parameters ? DW_TAG_formal_parameter : DW_TAG_variable);

			if (die.tag != DW_TAG_lexical_block || parameters ||
			    !dwarf_die_covers(&die, vaddr, true))
				dwarf_walk_skip(&walk);
			if (wanted && !visit_variable(&die, false, visit, context))
				return;
		}
	}
	if (externs)
		(void)visit_externs(function->unit, visit, context);
}

/* One entry of a location list. */
struct entry {
	uint64_t start, end;
	struct bytes expression;
	bool fallback; /* for all addresses that no other entry has */
	bool is_base, is_end;
};

struct list {
	const struct dwarf_unit *unit;
	struct reader r;
	uint64_t base;
};

static uint64_t indexed(struct list *list, uint64_t index)
{
	uint64_t address;

	if (dwarf_unit_addrx(list->unit, index, &address))
		return address;
	reader_fail(&list->r);
	return 0;
}

static void read_block(struct reader *r, uint64_t len, struct entry *ret)
{
	ret->expression = (struct bytes){ r->pos, len };
	read_skip(r, len);
}

static void entry_v4(struct list *list, struct entry *ret)
{
	size_t size = list->unit->encoding.address_size;
	uint64_t start = read_uint(&list->r, size), end = read_uint(&list->r, size);

	ret->is_end = !start && !end;
	ret->is_base = start == (size == 8 ? UINT64_MAX : UINT32_MAX);
	if (ret->is_base)
		list->base = end;
	if (ret->is_end || ret->is_base)
		return;
	ret->start = list->base + start;
	ret->end = list->base + end;
	read_block(&list->r, read_u16(&list->r), ret);
}

/* Kinds of entries in .debug_loc.dwo of GNU's version 4. */
enum { GNU_END, GNU_BASE, GNU_START_END, GNU_START_LENGTH };

static void entry_gnu(struct list *list, struct entry *ret)
{
	switch (read_u8(&list->r)) {
	case GNU_BASE:
		list->base = indexed(list, read_uleb(&list->r));
		ret->is_base = true;
		return;
	case GNU_START_END:
		ret->start = indexed(list, read_uleb(&list->r));
		ret->end = indexed(list, read_uleb(&list->r));
		break;
	case GNU_START_LENGTH:
		ret->start = indexed(list, read_uleb(&list->r));
		ret->end = ret->start + read_u32(&list->r);
		break;
	default:
		ret->is_end = true;
		return;
	}
	read_block(&list->r, read_u16(&list->r), ret);
}

static void entry_v5(struct list *list, struct entry *ret)
{
	struct reader *r = &list->r;
	size_t size = list->unit->encoding.address_size;

	switch (read_u8(r)) {
	case DW_LLE_base_addressx:
		list->base = indexed(list, read_uleb(r));
		ret->is_base = true;
		return;
	case DW_LLE_base_address:
		list->base = read_uint(r, size);
		ret->is_base = true;
		return;
	case DW_LLE_startx_endx:
		ret->start = indexed(list, read_uleb(r));
		ret->end = indexed(list, read_uleb(r));
		break;
	case DW_LLE_startx_length:
		ret->start = indexed(list, read_uleb(r));
		ret->end = ret->start + read_uleb(r);
		break;
	case DW_LLE_offset_pair:
		ret->start = list->base + read_uleb(r);
		ret->end = list->base + read_uleb(r);
		break;
	case DW_LLE_default_location:
		ret->fallback = true;
		break;
	case DW_LLE_start_end:
		ret->start = read_uint(r, size);
		ret->end = read_uint(r, size);
		break;
	case DW_LLE_start_length:
		ret->start = read_uint(r, size);
		ret->end = ret->start + read_uleb(r);
		break;
	case DW_LLE_GNU_view_pair:
		(void)read_uleb(r);
		(void)read_uleb(r);
		ret->is_base = true; /* nothing but a note */
		return;
	default:
		ret->is_end = true;
		return;
	}
	read_block(r, read_uleb(r), ret);
}

/* A reader of the list that a value names. */
static bool open_list(const struct dwarf_unit *unit, const struct dwarf_value *value,
		      struct list *ret)
{
	const struct bytes *section = unit->file->sections.section;
	uint64_t offset = value->number;

	*ret = (struct list){ .unit = unit, .base = unit->low_pc };
	if (value->form == DW_FORM_loclistx) {
		size_t size = unit->encoding.offset_size;
		struct reader r = reader_at(section[DWARF_LOCLISTS], unit->loclists_base);

		read_skip(&r, offset < UINT32_MAX ? offset * size : UINT64_MAX);
		offset = unit->loclists_base + read_uint(&r, size);
		if (r.failed)
			return false;
	} else if (value->form != DW_FORM_sec_offset && value->form != DW_FORM_data4 &&
		   value->form != DW_FORM_data8) {
		return false;
	}
	ret->r = reader_at(section[unit->encoding.version >= 5 ? DWARF_LOCLISTS : DWARF_LOC],
			   offset);
	return true;
}

static void read_entry(struct list *list, struct entry *ret)
{
	*ret = (struct entry){ 0 };
	if (list->unit->encoding.version >= 5)
		entry_v5(list, ret);
	else if (list->unit->file->sections.dwo)
		entry_gnu(list, ret);
	else
		entry_v4(list, ret);
}

bool dwarf_die_expression(const struct dwarf_die *die, uint16_t name, uint64_t vaddr,
			  struct bytes *ret, bool *ret_elsewhere)
{
	struct dwarf_value value;
	struct entry entry;
	struct list list;
	bool found = false;

	*ret_elsewhere = false;
	if (dwarf_die_block(die, name, ret))
		return ret->len > 0;
	if (!dwarf_die_attr(die, name, &value) || !open_list(die->unit, &value, &list))
		return false;
	for (int i = 0; i < MAX_ENTRIES; i++) {
		read_entry(&list, &entry);
		if (list.r.failed || entry.is_end)
			break;
		if (entry.is_base || !entry.expression.len)
			continue;
		if (vaddr >= entry.start && vaddr < entry.end) {
			*ret = entry.expression;
			return true;
		}
		*ret_elsewhere = true;
		if (entry.fallback) {
			*ret = entry.expression;
			found = true;
		}
	}
	return found;
}

enum dwarf_presence dwarf_variable_place(const struct dwarf_die *die, uint64_t vaddr,
					 struct bytes *ret_expression, uint64_t *ret_constant)
{
	struct dwarf_die owner;
	struct dwarf_value value;
	bool elsewhere = false;

	if (dwarf_die_with(die, DW_AT_const_value, &owner) &&
	    dwarf_die_attr(&owner, DW_AT_const_value, &value) &&
	    dwarf_value_number(&value, ret_constant))
		return DWARF_CONSTANT;
	if (dwarf_die_with(die, DW_AT_location, &owner) &&
	    dwarf_die_expression(&owner, DW_AT_location, vaddr, ret_expression, &elsewhere))
		return DWARF_PRESENT;
	return elsewhere ? DWARF_ELSEWHERE : DWARF_ABSENT;
}
