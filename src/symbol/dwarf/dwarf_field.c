/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members at addresses (see dwarf_field.h). Format: DWARF 5, chapters 4 and 5. */
#include "symbol/dwarf/dwarf_field.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/dwarf/dwarf_type.h"

#define MAX_STEPS 32	   /* members inside each other */
#define MAX_DIES  4000000u /* in all units */

/* The address that is all of an expression. */
static bool read_address(const struct dwarf_unit *unit, struct bytes expression, uint64_t *ret)
{
	struct reader r = reader_at(expression, 0);
	uint8_t op = read_u8(&r);
	unsigned size = unit->encoding.address_size;

	*ret = 0;
	if (op == DW_OP_addrx || op == DW_OP_GNU_addr_index)
		return dwarf_unit_addrx(unit, read_uleb(&r), ret) && !r.failed && !reader_left(&r);
	for (unsigned i = 0; i < size && i < sizeof(*ret); i++)
		*ret |= (uint64_t)read_u8(&r) << 8 * i;
	return op == DW_OP_addr && !r.failed && !reader_left(&r);
}

/* Whether a variable is at that address. */
static bool is_at(const struct dwarf_die *variable, uint64_t vaddr)
{
	struct bytes expression;
	uint64_t address;

	return dwarf_die_block(variable, DW_AT_location, &expression) &&
	       read_address(variable->unit, expression, &address) && address == vaddr;
}

/* Variables of namespaces, and static ones of functions, are there as well. */
static bool find_in(const struct dwarf_unit *unit, uint64_t vaddr, size_t *left,
		    struct dwarf_die *ret)
{
	struct dwarf_walk walk;

	if (!dwarf_walk_unit(&walk, unit))
		return false;
	while (*left && dwarf_walk_next(&walk, ret)) {
		--*left;
		if (ret->tag == DW_TAG_variable && is_at(ret, vaddr))
			return true;
		if (ret->tag != DW_TAG_namespace && ret->tag != DW_TAG_subprogram &&
		    ret->tag != DW_TAG_lexical_block)
			dwarf_walk_skip(&walk);
	}
	return false;
}

static bool find_variable(struct dwarf *dwarf, uint64_t vaddr, struct dwarf_die *ret)
{
	size_t left = MAX_DIES;

	for (size_t i = 0; i < dwarf_unit_count(dwarf); i++) {
		const struct dwarf_unit *unit = dwarf_unit_dies(dwarf, i);

		if (unit && find_in(unit, vaddr, &left, ret))
			return true;
	}
	return false;
}

/* Types that are locks: what is in them is their own matter. */
static bool is_lock(const struct dwarf_die *member)
{
	static const char *const names[] = { "Mutex",	"RwLock",	 "RWLock",
					     "Condvar", "ReentrantLock", "SharedMutex",
					     "Once",	"MicroLock",	 "Futex" };
	struct buf text = { .limit = 4096 };
	const char *name;
	bool ret = false;

	dwarf_type_put(member, &text);
	name = text.len ? text.data : "";
	if (strncmp(name, "struct ", 7) == 0)
		name += 7;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !ret; i++)
		ret = strncmp(name, names[i], strlen(names[i])) == 0;
	buf_done(&text);
	return ret;
}

/* "[1][2]" */
static void put_index(const struct dwarf_type *array, uint64_t index, struct buf *out)
{
	uint64_t dimension[DWARF_MAX_DIMENSIONS], of[DWARF_MAX_DIMENSIONS];
	size_t count = dwarf_type_dimensions(array, dimension, DWARF_MAX_DIMENSIONS);

	for (size_t i = count; i-- > 0;) {
		of[i] = dimension[i] ? index % dimension[i] : index;
		index = dimension[i] ? index / dimension[i] : 0;
	}
	for (size_t i = 0; i < count; i++)
		(void)buf_printf(out, "[%" PRIu64 "]", of[i]);
}

/* One level into the type. False: it ends here; *ret_void: there is nothing at the offset. */
static bool step(struct dwarf_type *type, uint64_t *offset, struct buf *out, bool *ret_void)
{
	struct dwarf_member member;
	struct dwarf_type next;
	struct dwarf_die die;
	const char *name;

	if (type->kind == DWARF_ARRAY) {
		if (!dwarf_type_target(type, &next) || !next.size)
			return false;
		put_index(type, *offset / next.size, out);
		*offset %= next.size;
		*type = next;
		return true;
	}
	if (type->kind != DWARF_STRUCT && type->kind != DWARF_UNION)
		return false;
	if (!dwarf_type_member_at(type, *offset, &die, &member)) {
		*ret_void = true;
		return false;
	}
	name = die.tag == DW_TAG_member ? dwarf_die_name(&die) : NULL;
	if (name && name[0] == '_')
		return false;
	if (name)
		(void)buf_printf(out, ".%s", name);
	*offset -= member.offset;
	*type = member.type;
	return !name || !is_lock(&die);
}

bool dwarf_field_put(struct dwarf *dwarf, uint64_t vaddr, uint64_t offset, struct buf *out)
{
	struct buf text = { .limit = 1024 };
	struct dwarf_die variable;
	struct dwarf_type type;
	bool nothing = false;

	if (!find_variable(dwarf, vaddr, &variable))
		return false;
	dwarf_type_of(&variable, &type);
	if (offset >= type.size)
		return false;
	if (!is_lock(&variable))
		for (unsigned i = 0; i < MAX_STEPS && step(&type, &offset, &text, &nothing); i++)
			;
	if (offset)
		(void)buf_printf(&text, "+%#" PRIx64, offset);
	if (!nothing && text.len)
		(void)buf_append(out, text.data, text.len);
	buf_done(&text);
	return !nothing;
}
