/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DWARF location expressions → fetch programs. Format: DWARF 5, section 2.5 and 2.6. */
#include <dwarf.h>
#include <errno.h>

#include "bpf/arch/registers.h"
#include "proc/elf_file.h"
#include "session/probe/debug_info.h"
#include "session/probe/fetch_code.h"
#include "symbol/dwarf/dwarf_variable.h"
#include "unwind/table.h"

struct translation {
	struct fetch_code *code;
	const struct fetch_place *place;
	const struct dwarf_unit *unit;
	struct reader r;
	bool is_value; /* what is on the stack is no address */
	bool in_frame_base;
};

/* The address that a linked one has in the running program: probes know where they are. */
static void emit_address(struct translation *t, uint64_t linked)
{
	if (t->place->at_return)
		return fetch_fail(t->code, -ENOTSUP, "global variables are not fetched at returns");
	fetch_emit_register(t->code, FETCH_PC);
	fetch_emit_add(t->code, linked + t->place->info->bias - t->place->address);
}

/* The canonical frame address, from the call frame information. */
static void emit_frame_address(struct translation *t)
{
	struct unwind_place at = { 0 };
	struct cfi_fde fde;
	struct cfi_vm vm;
	uint64_t vaddr;

	if (!elf_file_offset(t->place->info->elf, t->place->address, &at.offset) ||
	    !unwind_table_row(t->place->info->table, at, &fde, &vm, &vaddr) ||
	    vm.row.cfa.kind != CFI_REGISTER)
		return fetch_fail(t->code, -ENOTSUP, "relative to a frame that is not known here");
	fetch_emit_register(t->code, vm.row.cfa.reg);
	fetch_emit_add(t->code, (uint64_t)(int64_t)vm.row.cfa.value);
}

static void translate(struct translation *t);

static void emit_frame_base(struct translation *t, uint64_t offset)
{
	struct translation base = *t;
	struct bytes expression;
	bool elsewhere;

	if (t->in_frame_base || !t->place->function ||
	    !dwarf_die_expression(t->place->function, DW_AT_frame_base,
				  t->place->address - t->place->info->bias, &expression,
				  &elsewhere))
		return fetch_fail(t->code, -ENOTSUP, "relative to a frame that is not known here");
	base.unit = t->place->function->unit;
	base.r = reader_at(expression, 0);
	base.in_frame_base = true;
	base.is_value = false;
	translate(&base);
	fetch_emit_add(t->code, offset);
}

static void gone(struct translation *t)
{
	fetch_fail(t->code, -ENODATA,
		   "optimised out here: its value is known at the function's entry only");
}

static const struct {
	uint8_t dwarf, fetch;
} binaries[] = {
	{ DW_OP_plus, FETCH_PLUS },    { DW_OP_minus, FETCH_MINUS },
	{ DW_OP_mul, FETCH_MULTIPLY }, { DW_OP_div, FETCH_DIVIDE },
	{ DW_OP_and, FETCH_AND },      { DW_OP_or, FETCH_OR },
	{ DW_OP_xor, FETCH_XOR },      { DW_OP_shl, FETCH_LEFT },
	{ DW_OP_shr, FETCH_RIGHT },    { DW_OP_shra, FETCH_RIGHT_SIGNED },
	{ DW_OP_eq, FETCH_EQUAL },     { DW_OP_ne, FETCH_UNEQUAL },
	{ DW_OP_lt, FETCH_LESS },      { DW_OP_le, FETCH_LESS_EQUAL },
};

static bool translate_binary(struct translation *t, uint8_t op)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(*binaries); i++)
		if (binaries[i].dwarf == op) {
			fetch_emit_binary(t->code, (enum fetch_binary)binaries[i].fetch);
			return true;
		}
	return false;
}

/* Constants in the code; false: op is none. */
static bool translate_constant(struct translation *t, uint8_t op)
{
	static const uint8_t size[] = { 1, 1, 2, 2, 4, 4, 8, 8 }; /* from DW_OP_const1u on */
	uint64_t value, index;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		value = op - DW_OP_lit0;
	} else if (op >= DW_OP_const1u && op <= DW_OP_const8s) {
		unsigned bits = size[op - DW_OP_const1u] * 8u;

		value = read_uint(&t->r, bits / 8);
		if ((op - DW_OP_const1u) % 2)
			value = (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
	} else if (op == DW_OP_constu) {
		value = read_uleb(&t->r);
	} else if (op == DW_OP_consts) {
		value = (uint64_t)read_sleb(&t->r);
	} else if (op == DW_OP_constx || op == DW_OP_GNU_const_index) {
		index = read_uleb(&t->r);
		if (!dwarf_unit_addrx(t->unit, index, &value))
			reader_fail(&t->r);
	} else {
		return false;
	}
	if (!t->r.failed)
		fetch_emit_constant(t->code, value);
	return true;
}

/* Registers and addresses; false: op is none. */
static bool translate_place(struct translation *t, uint8_t op)
{
	uint64_t number, address = 0;

	if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		fetch_emit_register(t->code, op - DW_OP_reg0);
		t->is_value = !t->in_frame_base; /* a frame base in a register is its content */
	} else if (op == DW_OP_regx || op == DW_OP_regval_type || op == DW_OP_GNU_regval_type) {
		fetch_emit_register(t->code, read_uleb(&t->r));
		if (op != DW_OP_regx)
			(void)read_uleb(&t->r);
		t->is_value = !t->in_frame_base;
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		fetch_emit_register(t->code, op - DW_OP_breg0);
		fetch_emit_add(t->code, (uint64_t)read_sleb(&t->r));
	} else if (op == DW_OP_bregx) {
		number = read_uleb(&t->r);
		fetch_emit_register(t->code, number);
		fetch_emit_add(t->code, (uint64_t)read_sleb(&t->r));
	} else if (op == DW_OP_fbreg) {
		emit_frame_base(t, (uint64_t)read_sleb(&t->r));
	} else if (op == DW_OP_call_frame_cfa) {
		emit_frame_address(t);
	} else if (op == DW_OP_addr) {
		address = read_uint(&t->r, t->unit->encoding.address_size);
		emit_address(t, address);
	} else if (op == DW_OP_addrx || op == DW_OP_GNU_addr_index) {
		if (!dwarf_unit_addrx(t->unit, read_uleb(&t->r), &address))
			reader_fail(&t->r);
		emit_address(t, address);
	} else {
		return false;
	}
	return true;
}

/* To the base type at an offset of the unit; 0 = back to an address. */
static void convert(struct translation *t, uint64_t offset)
{
	struct dwarf_die type;
	uint64_t size, encoding;

	if (!offset)
		return;
	if (!dwarf_die_read(t->unit, t->unit->offset + offset, &type))
		return reader_fail(&t->r);
	size = dwarf_die_number(&type, DW_AT_byte_size);
	encoding = dwarf_die_number(&type, DW_AT_encoding);
	if (!size || size > 8 || encoding == DW_ATE_float)
		return fetch_fail(t->code, -ENOTSUP, "floating-point values are not fetched");
	fetch_emit_bits(t->code, 0, (unsigned)size * 8,
			encoding == DW_ATE_signed || encoding == DW_ATE_signed_char);
}

static void translate_rest(struct translation *t, uint8_t op)
{
	uint64_t len;

	switch (op) {
	case DW_OP_deref:
		return fetch_emit_read(t->code, t->unit->encoding.address_size);
	case DW_OP_deref_size:
		return fetch_emit_read(t->code, read_u8(&t->r));
	case DW_OP_plus_uconst:
		return fetch_emit_add(t->code, read_uleb(&t->r));
	case DW_OP_dup:
		return fetch_emit(t->code, (struct fetch_step){ .op = FETCH_PICK });
	case DW_OP_over:
		return fetch_emit(t->code, (struct fetch_step){ .op = FETCH_PICK, .value = 1 });
	case DW_OP_pick:
		return fetch_emit(t->code,
				  (struct fetch_step){ .op = FETCH_PICK, .value = read_u8(&t->r) });
	case DW_OP_neg:
		fetch_emit_constant(t->code, UINT64_MAX);
		return fetch_emit_binary(t->code, FETCH_MULTIPLY);
	case DW_OP_not:
		fetch_emit_constant(t->code, UINT64_MAX);
		return fetch_emit_binary(t->code, FETCH_XOR);
	case DW_OP_stack_value:
		t->is_value = true;
		return;
	case DW_OP_implicit_value:
		len = read_uleb(&t->r);
		t->is_value = true;
		return fetch_emit_constant(t->code, len <= 8 ? read_uint(&t->r, len) : 0);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
		return convert(t, read_uleb(&t->r));
	case DW_OP_nop:
		return;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
	case DW_OP_GNU_parameter_ref:
		return gone(t);
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return fetch_fail(t->code, -ENOTSUP, "thread-local variables are not fetched");
	default:
		return fetch_fail(t->code, -ENOTSUP, "its location needs DWARF operation 0x%x", op);
	}
}

static bool is_piece(uint8_t op)
{
	return op == DW_OP_piece || op == DW_OP_bit_piece;
}

/* Up to the end, or to the end of a piece. */
static void translate(struct translation *t)
{
	while (reader_left(&t->r) && !t->code->failed && !is_piece(*t->r.pos)) {
		uint8_t op = read_u8(&t->r);

		if (!translate_constant(t, op) && !translate_place(t, op) &&
		    !translate_binary(t, op))
			translate_rest(t, op);
	}
	if (t->r.failed)
		fetch_fail(t->code, -EBADMSG, "malformed location");
}

void fetch_place_find(const struct debug_info *info, const struct elf_file *elf, uint64_t offset,
		      struct dwarf_die *function, struct fetch_place *ret)
{
	if (!info || !elf_file_vaddr(elf, offset, &ret->address))
		return;
	ret->info = info;
	if (dwarf_function_at(info->dwarf, ret->address - info->bias, function))
		ret->function = function;
}

enum fetch_found fetch_location(struct fetch_code *code, const struct fetch_place *place,
				const struct dwarf_unit *unit, struct bytes expression)
{
	struct fetch_code before = *code;
	struct translation t = { code, place, unit, reader_at(expression, 0), false, false };
	struct reader at = t.r;

	if (reader_left(&at) && !is_piece(*at.pos))
		translate(&t);
	if (code->failed)
		return FETCH_NOTHING;
	if (reader_left(&t.r)) {
		*code = before;
		return FETCH_PIECES;
	}
	if (code->depth == before.depth) {
		fetch_fail(code, -ENODATA, "optimised out");
		return FETCH_NOTHING;
	}
	return t.is_value ? FETCH_NUMBER : FETCH_MEMORY;
}

void fetch_piece(struct fetch_code *code, const struct fetch_place *place,
		 const struct fetch_part *part, uint64_t size)
{
	struct translation t = { code,	place, part->unit, reader_at(part->expression, 0),
				 false, false };
	uint64_t start = 0, offset = part->offset;

	while (reader_left(&t.r) && !code->failed) {
		struct fetch_code before = *code;
		uint64_t bytes;

		t.is_value = false;
		translate(&t);
		if (read_u8(&t.r) != DW_OP_piece)
			return fetch_fail(code, -ENOTSUP, "in pieces that are not whole bytes");
		bytes = read_uleb(&t.r);
		if (t.r.failed || code->failed)
			break;
		if (offset < start || offset + size > start + bytes) {
			*code = before;
			start += bytes;
			continue;
		}
		if (code->depth == before.depth)
			break;
		if (t.is_value)
			return fetch_emit_bits(code, (unsigned)(offset - start) * 8,
					       (unsigned)size * 8, false);
		fetch_emit_add(code, offset - start);
		return fetch_emit_read(code, size);
	}
	fetch_fail(code, -ENODATA, "optimised out");
}
