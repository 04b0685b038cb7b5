/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types (see dwarf_type.h). Format: DWARF 5, chapter 5. */
#include "symbol/dwarf/dwarf_type.h"

#include <dwarf.h>
#include <string.h>

#include "base/buf.h"
#include "base/suggest.h"
#include "symbol/dwarf/dwarf.h"

/* Typedefs, qualifiers and dimensions on top of each other. */
#define MAX_CHAIN 64
/* Anonymous members and base classes inside each other. */
#define MAX_NESTED 16
/* DIEs that the search for one member may look at. */
#define MAX_MEMBERS 65536

static bool is_qualifier(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
		return true;
	default:
		return false;
	}
}

/* The DIE of a type without qualifiers and, if asked, typedefs. False: void. */
static bool peel(const struct dwarf_die *die, bool typedefs, struct dwarf_die *ret)
{
	struct dwarf_die at, next;

	if (!dwarf_die_with(die, DW_AT_type, &next) || !dwarf_die_ref(&next, DW_AT_type, &at))
		return false;
	for (int i = 0; is_qualifier(at.tag) || (typedefs && at.tag == DW_TAG_typedef); i++) {
		if (i == MAX_CHAIN || !dwarf_die_ref(&at, DW_AT_type, &next))
			return false;
		at = next;
	}
	*ret = at;
	return true;
}

static enum dwarf_kind base_kind(const struct dwarf_die *die)
{
	switch (dwarf_die_number(die, DW_AT_encoding)) {
	case DW_ATE_boolean:
		return DWARF_BOOL;
	case DW_ATE_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
		return DWARF_FLOAT;
	case DW_ATE_signed:
	case DW_ATE_signed_fixed:
		return DWARF_SIGNED;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return DWARF_CHAR;
	case DW_ATE_unsigned:
	case DW_ATE_address:
		return DWARF_UNSIGNED;
	default:
		return DWARF_OTHER;
	}
}

static enum dwarf_kind kind_of(const struct dwarf_die *die)
{
	switch (die->tag) {
	case DW_TAG_base_type:
		return base_kind(die);
	case DW_TAG_pointer_type:
	case DW_TAG_ptr_to_member_type:
		return DWARF_POINTER;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return DWARF_REFERENCE;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		return DWARF_STRUCT;
	case DW_TAG_union_type:
		return DWARF_UNION;
	case DW_TAG_array_type:
		return DWARF_ARRAY;
	case DW_TAG_enumeration_type:
		return DWARF_ENUM;
	case DW_TAG_subroutine_type:
		return DWARF_FUNCTION;
	case DW_TAG_unspecified_type: /* nullptr_t; in C++ also void */
		return DWARF_VOID;
	default:
		return DWARF_OTHER;
	}
}

/* C++ enums have their base type, those of C only a size; what fits both is what the enumerators
 * are: one that is negative has a signed form. */
static bool enum_is_signed(const struct dwarf_die *die)
{
	struct dwarf_walk walk;
	struct dwarf_die under, item;
	struct dwarf_value value;

	if (peel(die, true, &under))
		return base_kind(&under) == DWARF_SIGNED;
	dwarf_walk_start(&walk, die);
	while (dwarf_walk_next(&walk, &item))
		if (dwarf_die_attr(&item, DW_AT_const_value, &value) &&
		    (value.form == DW_FORM_sdata || value.form == DW_FORM_implicit_const) &&
		    (int64_t)value.number < 0)
			return true;
	return false;
}

/* Whether another unit has the definition of a struct that is only declared. */
static bool same_named_struct(const struct dwarf_unit *unit, uint16_t tag, const char *name,
			      struct dwarf_die *ret)
{
	struct dwarf_walk walk;
	struct dwarf_die die;
	const char *other;

	if (!dwarf_walk_unit(&walk, unit))
		return false;
	while (dwarf_walk_next(&walk, &die)) {
		dwarf_walk_skip(&walk);
		if (die.tag != tag || dwarf_die_has(&die, DW_AT_declaration))
			continue;
		other = dwarf_die_name(&die);
		if (other && !strcmp(other, name)) {
			*ret = die;
			return true;
		}
	}
	return false;
}

/* The definition of a declared struct, from the units of the same file. */
static void complete(struct dwarf_die *die)
{
	const struct dwarf_file *file = die->unit->file;
	const char *name = dwarf_die_name(die);

	if (!dwarf_die_has(die, DW_AT_declaration) || !name)
		return;
	for (size_t i = 0; i < file->unit_count; i++)
		if (same_named_struct(&file->unit[i], die->tag, name, die))
			return;
}

static void fill(const struct dwarf_die *die, struct dwarf_type *ret)
{
	*ret = (struct dwarf_type){ .kind = kind_of(die), .die = *die };
	if (ret->kind == DWARF_STRUCT || ret->kind == DWARF_UNION)
		complete(&ret->die);
	ret->size = dwarf_die_number(&ret->die, DW_AT_byte_size);
	if (!ret->size && (ret->kind == DWARF_POINTER || ret->kind == DWARF_REFERENCE))
		ret->size = die->unit->encoding.address_size;
	ret->is_signed = ret->kind == DWARF_SIGNED ||
			 (ret->kind == DWARF_CHAR &&
			  dwarf_die_number(die, DW_AT_encoding) == DW_ATE_signed_char) ||
			 (ret->kind == DWARF_ENUM && enum_is_signed(die));
}

void dwarf_type_of(const struct dwarf_die *die, struct dwarf_type *ret)
{
	struct dwarf_type of = { .kind = DWARF_VOID };
	struct dwarf_type element;
	struct dwarf_die peeled;

	if (peel(die, true, &peeled))
		fill(&peeled, &of);
	if (of.kind == DWARF_ARRAY && !of.size && dwarf_type_target(&of, &element))
		of.size = element.size * dwarf_type_elements(&of);
	*ret = of;
}

bool dwarf_type_target(const struct dwarf_type *type, struct dwarf_type *ret)
{
	if (type->kind != DWARF_POINTER && type->kind != DWARF_REFERENCE &&
	    type->kind != DWARF_ARRAY)
		return false;
	/* an array of arrays is cut after some levels by the size it never gets */
	if (type->kind == DWARF_ARRAY) {
		struct dwarf_die element;

		*ret = (struct dwarf_type){ .kind = DWARF_VOID };
		if (peel(&type->die, true, &element))
			fill(&element, ret);
		return ret->kind != DWARF_VOID;
	}
	dwarf_type_of(&type->die, ret);
	return true;
}

size_t dwarf_type_dimensions(const struct dwarf_type *array, uint64_t *ret, size_t max)
{
	struct dwarf_walk walk;
	struct dwarf_die range;
	struct dwarf_value value;
	size_t count = 0;
	uint64_t upper;

	if (array->kind != DWARF_ARRAY)
		return 0;
	dwarf_walk_start(&walk, &array->die);
	while (count < max && dwarf_walk_next(&walk, &range)) {
		if (range.tag != DW_TAG_subrange_type)
			continue;
		if (dwarf_die_attr(&range, DW_AT_upper_bound, &value) &&
		    dwarf_value_number(&value, &upper))
			ret[count] = upper - dwarf_die_number(&range, DW_AT_lower_bound) + 1;
		else
			ret[count] = dwarf_die_number(&range, DW_AT_count);
		if (ret[count++] > UINT32_MAX)
			return 0;
	}
	return count;
}

uint64_t dwarf_type_elements(const struct dwarf_type *array)
{
	uint64_t dimension[DWARF_MAX_DIMENSIONS], all = 1;
	size_t count = dwarf_type_dimensions(array, dimension, DWARF_MAX_DIMENSIONS);

	for (size_t i = 0; i < count && all <= UINT32_MAX; i++)
		all *= dimension[i];
	return count ? all : 0;
}

static bool member_offset(const struct dwarf_die *die, uint64_t *ret)
{
	struct dwarf_value value;
	struct bytes block;
	struct reader r;

	*ret = 0;
	if (dwarf_die_attr(die, DW_AT_data_member_location, &value) &&
	    dwarf_value_number(&value, ret))
		return true;
	if (!dwarf_die_block(die, DW_AT_data_member_location, &block))
		return !dwarf_die_has(die, DW_AT_data_member_location);
	r = reader_at(block, 0);
	if (read_u8(&r) != DW_OP_plus_uconst)
		return false;
	*ret = read_uleb(&r);
	return !r.failed && !reader_left(&r);
}

/* Position of a bit field: DWARF 4's count of bits from the struct's start, or DWARF 2's from the
 * highest bit of a storage unit. */
static void bit_field(const struct dwarf_die *die, struct dwarf_member *member)
{
	uint64_t size = dwarf_die_number(die, DW_AT_bit_size), at, bytes;

	if (!size || size > 64 || !member->type.size || member->type.size > 8)
		return;
	bytes = dwarf_die_number(die, DW_AT_byte_size);
	bytes = bytes ? bytes : member->type.size;
	if (dwarf_die_has(die, DW_AT_data_bit_offset)) {
		at = dwarf_die_number(die, DW_AT_data_bit_offset);
		member->offset += at / 8 / bytes * bytes;
		at -= at / 8 / bytes * bytes * 8;
	} else {
		at = bytes * 8 - dwarf_die_number(die, DW_AT_bit_offset) - size;
	}
	if (at > 63 || at + size > 64) /* a part is outside of the unit: take single bytes */
		return;
	member->bit_size = (unsigned)size;
	member->bit_shift = (unsigned)at;
}

struct search {
	const char *name;	 /* NULL: offer all */
	struct suggest *suggest; /* with name NULL */
	size_t left;		 /* DIEs that may still be looked at */
};

static bool search_members(const struct dwarf_type *type, struct search *search, unsigned depth,
			   struct dwarf_member *ret);

static bool is_member(const struct dwarf_die *die, struct search *search, unsigned depth,
		      struct dwarf_member *ret)
{
	struct dwarf_member member = { 0 };
	const char *name = dwarf_die_name(die);
	bool inherited = die->tag == DW_TAG_inheritance;

	if (!member_offset(die, &member.offset) ||
	    (inherited && dwarf_die_has(die, DW_AT_virtuality)))
		return false;
	if (name && !inherited && search->suggest)
		suggest_offer(search->suggest, name);
	if (name && !inherited && (!search->name || strcmp(name, search->name)))
		return false;
	dwarf_type_of(die, &member.type);
	if (name && !inherited) {
		bit_field(die, &member);
		*ret = member;
		return true;
	}
	if (!search_members(&member.type, search, depth + 1, ret))
		return false;
	ret->offset += member.offset;
	return true;
}

static bool search_members(const struct dwarf_type *type, struct search *search, unsigned depth,
			   struct dwarf_member *ret)
{
	struct dwarf_walk walk;
	struct dwarf_die die;

	if (depth == MAX_NESTED || (type->kind != DWARF_STRUCT && type->kind != DWARF_UNION))
		return false;
	dwarf_walk_start(&walk, &type->die);
	while (search->left && dwarf_walk_next(&walk, &die)) {
		search->left--;
		if (die.tag != DW_TAG_variant_part && die.tag != DW_TAG_variant)
			dwarf_walk_skip(&walk);
		if ((die.tag == DW_TAG_member || die.tag == DW_TAG_inheritance) &&
		    is_member(&die, search, depth, ret))
			return true;
	}
	return false;
}

bool dwarf_type_member(const struct dwarf_type *type, const char *name, struct dwarf_member *ret)
{
	struct search search = { .name = name, .left = MAX_MEMBERS };

	return search_members(type, &search, 0, ret);
}

bool dwarf_type_member_at(const struct dwarf_type *type, uint64_t offset, struct dwarf_die *ret_die,
			  struct dwarf_member *ret)
{
	size_t left = MAX_MEMBERS;
	struct dwarf_walk walk;
	struct dwarf_die die;

	if (type->kind != DWARF_STRUCT && type->kind != DWARF_UNION)
		return false;
	dwarf_walk_start(&walk, &type->die);
	while (left-- && dwarf_walk_next(&walk, &die)) {
		struct dwarf_member member = { 0 };

		dwarf_walk_skip(&walk);
		if ((die.tag != DW_TAG_member && die.tag != DW_TAG_inheritance) ||
		    dwarf_die_has(&die, DW_AT_declaration) ||
		    dwarf_die_has(&die, DW_AT_virtuality) || !member_offset(&die, &member.offset))
			continue;
		dwarf_type_of(&die, &member.type);
		bit_field(&die, &member);
		if (offset < member.offset || offset - member.offset >= member.type.size)
			continue;
		*ret_die = die;
		*ret = member;
		return true;
	}
	return false;
}

void dwarf_type_suggest(const struct dwarf_type *type, struct suggest *suggest)
{
	struct search search = { .suggest = suggest, .left = MAX_MEMBERS };
	struct dwarf_member ignored;

	(void)search_members(type, &search, 0, &ignored);
}

void dwarf_type_enumerators(const struct dwarf_type *type,
			    bool (*visit)(void *context, uint64_t value, const char *name),
			    void *context)
{
	struct dwarf_walk walk;
	struct dwarf_die item;
	const char *name;
	bool more = true;

	if (type->kind != DWARF_ENUM)
		return;
	dwarf_walk_start(&walk, &type->die);
	while (more && dwarf_walk_next(&walk, &item)) {
		name = item.tag == DW_TAG_enumerator ? dwarf_die_name(&item) : NULL;
		if (name)
			more = visit(context, dwarf_die_number(&item, DW_AT_const_value), name);
	}
}

struct wanted_value {
	uint64_t value, mask;
	const char *name;
};

static bool is_value(void *context, uint64_t value, const char *name)
{
	struct wanted_value *wanted = context;

	if (((value ^ wanted->value) & wanted->mask) == 0)
		wanted->name = name;
	return !wanted->name;
}

const char *dwarf_type_enumerator(const struct dwarf_type *type, uint64_t value)
{
	struct wanted_value wanted = { value, UINT64_MAX, NULL };

	if (type->size && type->size < 8)
		wanted.mask = (UINT64_C(1) << type->size * 8) - 1;
	dwarf_type_enumerators(type, is_value, &wanted);
	return wanted.name;
}

static const char *prefix(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

static const char *suffix(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
		return "*";
	case DW_TAG_reference_type:
		return "&";
	case DW_TAG_rvalue_reference_type:
		return "&&";
	case DW_TAG_array_type:
		return "[]";
	default:
		return NULL;
	}
}

void dwarf_type_put(const struct dwarf_die *die, struct buf *out)
{
	const char *ends[MAX_CHAIN];
	struct dwarf_die at = *die, type;
	size_t count = 0;
	const char *name;

	while (count < MAX_CHAIN && peel(&at, false, &type) && suffix(type.tag)) {
		ends[count++] = suffix(type.tag);
		at = type;
	}
	if (count == MAX_CHAIN)
		(void)buf_puts(out, "?");
	else if (!peel(&at, false, &type))
		(void)buf_puts(out, "void");
	else if (type.tag == DW_TAG_subroutine_type)
		(void)buf_puts(out, "(function_type)");
	else {
		name = dwarf_die_name(&type);
		(void)buf_printf(out, "%s%s", prefix(type.tag), name ? name : "(unnamed)");
	}
	while (count)
		(void)buf_puts(out, ends[--count]);
}
