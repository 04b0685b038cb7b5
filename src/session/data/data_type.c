/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and fields of data (see data_type.h). */
#include "session/data/data_type.h"

#include <dwarf.h>

#include "base/buf.h"
#include "base/vec.h"
#include "session/data/data_module.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/dwarf/dwarf_type.h"
#include "symbol/dwarf/dwarf_variable.h"
#include "unwind/arch/arch.h"
#include "unwind/expression.h"

#define MAX_NESTED 16		/* arrays, structs and unions in each other */
#define MAX_BYTES  (1ull << 47) /* of a type */

/* "[].hot" and, for the type's name, the DIE of the innermost part. */
static void put_path(struct dwarf_type type, uint64_t offset, struct dwarf_die *part,
		     struct buf *out)
{
	for (int i = 0; i < MAX_NESTED; i++) {
		struct dwarf_type element;
		struct dwarf_member member;
		struct dwarf_die die;
		const char *name;

		if (type.kind == DWARF_ARRAY) {
			*part = type.die;
			if (!dwarf_type_target(&type, &element) || !element.size)
				return;
			type = element;
			offset %= type.size;
			(void)buf_puts(out, "[]");
			continue;
		}
		if (!dwarf_type_member_at(&type, offset, &die, &member))
			return;
		name = die.tag == DW_TAG_member ? dwarf_die_name(&die) : NULL;
		if (name)
			(void)buf_printf(out, ".%s", name);
		offset -= member.offset;
		type = member.type;
		*part = die;
	}
}

static void put_type(const struct dwarf_die *part, struct buf *out)
{
	(void)buf_puts(out, " (");
	dwarf_type_put(part, out);
	(void)buf_putc(out, ')');
}

/* DW_OP_addr or DW_OP_addrx alone. */
static bool is_at(const struct dwarf_die *die, uint64_t address)
{
	struct bytes expression;
	uint64_t found = 0;
	struct reader r;
	bool elsewhere;

	if (!dwarf_die_expression(die, DW_AT_location, 0, &expression, &elsewhere))
		return false;
	r = reader_at(expression, 0);
	switch (read_u8(&r)) {
	case DW_OP_addr:
		found = read_uint(&r, die->unit->encoding.address_size);
		break;
	case DW_OP_addrx:
		if (!dwarf_unit_addrx(die->unit, read_uleb(&r), &found))
			return false;
		break;
	default:
		return false;
	}
	return !r.failed && !reader_left(&r) && found == address;
}

static bool find_variable(struct dwarf *dwarf, uint64_t address, struct dwarf_die *ret)
{
	for (size_t i = 0; i < dwarf_unit_count(dwarf); i++) {
		const struct dwarf_unit *unit = dwarf_unit_dies(dwarf, i);
		struct dwarf_walk walk;
		struct dwarf_die die;

		if (!unit || !dwarf_walk_unit(&walk, unit))
			continue;
		while (dwarf_walk_next(&walk, &die))
			if (die.tag == DW_TAG_variable && is_at(&die, address)) {
				*ret = die;
				return true;
			}
	}
	return false;
}

bool data_type_put_variable(struct data_module *module, uint64_t address, uint64_t offset,
			    struct buf *out)
{
	struct data_variable *variable = data_module_variable(module, address);
	struct dwarf *dwarf = data_module_dwarf(module);
	struct dwarf_die part;
	struct dwarf_type type;
	const char *name;

	if (!variable->looked_up && dwarf)
		variable->known = find_variable(dwarf, address, &variable->die);
	variable->looked_up = true;
	if (!variable->known)
		return false;
	part = variable->die;
	name = dwarf_die_name(&part);
	if (!name)
		return false;
	dwarf_type_of(&part, &type);
	if (type.kind == DWARF_VOID) /* little debug info: names without types */
		return false;
	(void)buf_puts(out, name);
	put_path(type, offset, &part, out);
	put_type(&part, out);
	return true;
}

/* -1 = DWARF does not have it. */
static int dwarf_number(int16_t number)
{
	struct unwind_registers registers = { .known = 0 };
	const uint64_t value = 0;

	if (number < 0 || number > 63)
		return -1;
	arch_registers(UINT64_C(1) << number, &value, &registers);
	return registers.known ? __builtin_ctz(registers.known) : -1;
}

/* Whether an expression has the value of the register, and how much more. */
static bool is_in(struct bytes expression, unsigned number, int64_t *ret_offset)
{
	struct reader r = reader_at(expression, 0);
	uint8_t operation = read_u8(&r);

	*ret_offset = 0;
	if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31) {
		*ret_offset = read_sleb(&r);
		return operation - DW_OP_breg0 == (int)number && read_u8(&r) == DW_OP_stack_value &&
		       !r.failed && !reader_left(&r);
	}
	return operation >= DW_OP_reg0 && operation <= DW_OP_reg31 &&
	       operation - DW_OP_reg0 == (int)number && !r.failed && !reader_left(&r);
}

static bool is_pointer_in(const struct dwarf_die *die, uint64_t address, unsigned number,
			  struct data_pointer *ret)
{
	struct dwarf_type type, target;
	struct bytes expression;
	uint64_t constant;
	int64_t offset;

	if (dwarf_variable_place(die, address, &expression, &constant) != DWARF_PRESENT ||
	    !is_in(expression, number, &offset))
		return false;
	dwarf_type_of(die, &type);
	if ((type.kind != DWARF_POINTER && type.kind != DWARF_REFERENCE) ||
	    !dwarf_type_target(&type, &target) || !target.size)
		return false;
	*ret = (struct data_pointer){ type.die, offset };
	return true;
}

/* The innermost variable is the best one: outer ones may be copies. */
static bool find_pointer(const struct dwarf_die *function, uint64_t address, unsigned number,
			 struct data_pointer *ret)
{
	struct dwarf_walk walk;
	struct dwarf_die die;
	bool found = false;

	dwarf_walk_start(&walk, function);
	while (dwarf_walk_next(&walk, &die)) {
		switch (die.tag) {
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			if (!dwarf_die_covers(&die, address, die.tag == DW_TAG_lexical_block))
				dwarf_walk_skip(&walk);
			break;
		case DW_TAG_formal_parameter:
		case DW_TAG_variable:
			found |= is_pointer_in(&die, address, number, ret);
			break;
		default:
			dwarf_walk_skip(&walk);
		}
	}
	return found;
}

bool data_type_pointer(struct data_module *module, uint64_t address, int16_t number,
		       struct data_pointer *ret)
{
	struct dwarf *dwarf = data_module_dwarf(module);
	int reg = dwarf_number(number);
	struct dwarf_die function;

	return dwarf && reg >= 0 && dwarf_function_at(dwarf, address, &function) &&
	       find_pointer(&function, address, (unsigned)reg, ret);
}

bool data_type_put_target(const struct data_pointer *pointer, int64_t offset, struct buf *out)
{
	struct dwarf_die part = pointer->type;
	struct dwarf_type type, target;
	struct buf path = { 0 };
	int64_t size;

	type = (struct dwarf_type){ .kind = DWARF_POINTER, .die = pointer->type };
	if (!dwarf_type_target(&type, &target) || !target.size || target.size > MAX_BYTES)
		return false;
	size = (int64_t)target.size;
	put_path(target, (uint64_t)((offset % size + size) % size), &part, &path);
	dwarf_type_put(&pointer->type, out);
	if (path.len) {
		(void)buf_append(out, path.data, path.len);
		put_type(&part, out);
	}
	buf_done(&path);
	return true;
}
