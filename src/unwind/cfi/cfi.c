/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call frame machine: instructions of one FDE (after those of its CIE) into rows. Work is
 * proportional to the bytes of the entry; nothing is allocated. */
#include "unwind/cfi/cfi.h"

#include <dwarf.h>
#include <errno.h>

/* Instructions with an operand in the byte of the opcode. */
#define PRIMARY_MASK 0xc0
#define OPERAND_MASK 0x3f

static void set_rule(struct cfi_vm *vm, uint64_t reg, enum cfi_kind kind, int64_t value)
{
	if (value < INT32_MIN || value > INT32_MAX)
		vm->code.bad = true; /* no frame is that large */
	else if (reg < ARCH_DWARF_REGS)
		vm->row.reg[reg] = (struct cfi_rule){ .kind = kind, .value = (int32_t)value };
}

/* Also for a new offset alone: the register of an expression is ARCH_DWARF_REGS, which is bad. */
static void set_cfa(struct cfi_vm *vm, uint64_t reg, int64_t offset)
{
	if (reg >= ARCH_DWARF_REGS || offset < INT32_MIN || offset > INT32_MAX)
		vm->code.bad = true;
	else
		vm->row.cfa = (struct cfi_rule){ CFI_REGISTER, (uint8_t)reg, (int32_t)offset };
}

/* The factored offset that comes next, unsigned or signed. */
static int64_t read_offset(struct cfi_vm *vm, bool is_signed)
{
	int64_t factor = is_signed ? cursor_sleb(&vm->code) : (int64_t)cursor_uleb(&vm->code);
	int64_t offset;

	if (__builtin_mul_overflow(factor, vm->fde->data_align, &offset)) {
		vm->code.bad = true;
		return 0;
	}
	return offset;
}

/* The position of the next expression; skips it. */
static int64_t read_expression(struct cfi_vm *vm)
{
	int64_t at = vm->code.at - vm->section->data;

	cursor_skip(&vm->code, cursor_uleb(&vm->code));
	return at;
}

static void restore_rule(struct cfi_vm *vm, uint64_t reg)
{
	if (reg < ARCH_DWARF_REGS)
		vm->row.reg[reg] = vm->initial[reg];
}

static void advance(struct cfi_vm *vm, uint64_t delta)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(delta, vm->fde->code_align, &bytes) ||
	    __builtin_add_overflow(vm->location, bytes, &vm->location))
		vm->code.bad = true;
}

static void set_location(struct cfi_vm *vm)
{
	uint64_t to = cfi_pointer(&vm->code, vm->section, vm->fde->pointer_encoding);

	if (to < vm->location)
		vm->code.bad = true; /* rows come in order */
	else
		vm->location = to;
}

static void remember(struct cfi_vm *vm)
{
	if (vm->depth == CFI_STATES)
		vm->code.bad = true;
	else
		vm->saved[vm->depth++] = vm->row;
}

/* The CFA is restored too, as GCC's output has always meant it. */
static void restore(struct cfi_vm *vm)
{
	const struct cfi_row *saved;

	if (!vm->depth) {
		vm->code.bad = true;
		return;
	}
	saved = &vm->saved[--vm->depth];
	vm->row.cfa = saved->cfa;
	memcpy(vm->row.reg, saved->reg, sizeof(vm->row.reg));
}

static void step_cfa(struct cfi_vm *vm, uint8_t opcode)
{
	struct cfi_cursor *code = &vm->code;
	struct cfi_rule *cfa = &vm->row.cfa;
	uint64_t reg;

	switch (opcode) {
	case DW_CFA_def_cfa:
		reg = cursor_uleb(code);
		set_cfa(vm, reg, (int64_t)cursor_uleb(code));
		break;
	case DW_CFA_def_cfa_sf:
		reg = cursor_uleb(code);
		set_cfa(vm, reg, read_offset(vm, true));
		break;
	case DW_CFA_def_cfa_register:
		set_cfa(vm, cursor_uleb(code), cfa->kind == CFI_REGISTER ? cfa->value : 0);
		break;
	case DW_CFA_def_cfa_offset:
		set_cfa(vm, cfa->reg, (int64_t)cursor_uleb(code));
		break;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(vm, cfa->reg, read_offset(vm, true));
		break;
	default: /* DW_CFA_def_cfa_expression */
		*cfa = (struct cfi_rule){ .kind = CFI_VAL_EXPRESSION,
					  .reg = ARCH_DWARF_REGS,
					  .value = (int32_t)read_expression(vm) };
	}
}

static void step_register(struct cfi_vm *vm, uint8_t opcode)
{
	uint64_t reg = cursor_uleb(&vm->code);
	int64_t offset;

	switch (opcode) {
	case DW_CFA_offset_extended:
		set_rule(vm, reg, CFI_OFFSET, read_offset(vm, false));
		break;
	case DW_CFA_offset_extended_sf:
		set_rule(vm, reg, CFI_OFFSET, read_offset(vm, true));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		offset = read_offset(vm, false);
		set_rule(vm, reg, CFI_OFFSET, offset == INT64_MIN ? INT64_MAX : -offset);
		break;
	case DW_CFA_val_offset:
		set_rule(vm, reg, CFI_VAL_OFFSET, read_offset(vm, false));
		break;
	case DW_CFA_val_offset_sf:
		set_rule(vm, reg, CFI_VAL_OFFSET, read_offset(vm, true));
		break;
	case DW_CFA_restore_extended:
		restore_rule(vm, reg);
		break;
	case DW_CFA_undefined:
		set_rule(vm, reg, CFI_UNDEFINED, 0);
		break;
	case DW_CFA_same_value:
		set_rule(vm, reg, CFI_SAME, 0);
		break;
	case DW_CFA_register:
		set_rule(vm, reg, CFI_REGISTER, (int64_t)cursor_uleb(&vm->code));
		break;
	case DW_CFA_expression:
		set_rule(vm, reg, CFI_EXPRESSION, read_expression(vm));
		break;
	default: /* DW_CFA_val_expression */
		set_rule(vm, reg, CFI_VAL_EXPRESSION, read_expression(vm));
	}
}

static void step_extended(struct cfi_vm *vm, uint8_t opcode)
{
	switch (opcode) {
	case DW_CFA_nop:
		break;
	case DW_CFA_set_loc:
		set_location(vm);
		break;
	case DW_CFA_advance_loc1:
		advance(vm, cursor_unsigned(&vm->code, 1));
		break;
	case DW_CFA_advance_loc2:
		advance(vm, cursor_unsigned(&vm->code, 2));
		break;
	case DW_CFA_advance_loc4:
		advance(vm, cursor_unsigned(&vm->code, 4));
		break;
	case DW_CFA_MIPS_advance_loc8:
		advance(vm, cursor_unsigned(&vm->code, 8));
		break;
	case DW_CFA_remember_state:
		remember(vm);
		break;
	case DW_CFA_restore_state:
		restore(vm);
		break;
	case DW_CFA_def_cfa ... DW_CFA_def_cfa_expression:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_offset_sf:
		step_cfa(vm, opcode);
		break;
	case DW_CFA_offset_extended ... DW_CFA_register:
	case DW_CFA_expression:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset ... DW_CFA_val_expression:
	case DW_CFA_GNU_negative_offset_extended:
		step_register(vm, opcode);
		break;
	case DW_CFA_GNU_args_size: /* for the personality routine alone */
		(void)cursor_uleb(&vm->code);
		break;
	default:
		vm->code.bad = true;
	}
}

static void step(struct cfi_vm *vm)
{
	uint8_t opcode = cursor_u8(&vm->code);
	uint8_t operand = opcode & OPERAND_MASK;

	switch (opcode & PRIMARY_MASK) {
	case DW_CFA_advance_loc:
		advance(vm, operand);
		break;
	case DW_CFA_offset:
		set_rule(vm, operand, CFI_OFFSET, read_offset(vm, false));
		break;
	case DW_CFA_restore:
		restore_rule(vm, operand);
		break;
	default:
		step_extended(vm, opcode);
	}
}

int cfi_vm_start(struct cfi_vm *vm, const struct cfi_section *section, const struct cfi_fde *fde)
{
	vm->section = section;
	vm->fde = fde;
	vm->depth = 0;
	vm->location = fde->start;
	memset(&vm->row, 0, sizeof(vm->row));
	memset(vm->initial, 0, sizeof(vm->initial));
	vm->row.start = vm->row.end = fde->start;
	vm->code = (struct cfi_cursor){ .at = fde->cie_code, .end = fde->cie_code_end };
	while (cursor_left(&vm->code) && !vm->code.bad)
		step(vm);
	if (vm->code.bad || vm->location != fde->start)
		return -EINVAL;
	memcpy(vm->initial, vm->row.reg, sizeof(vm->initial));
	vm->code = (struct cfi_cursor){ .at = fde->code, .end = fde->code_end };
	return 0;
}

int cfi_vm_next(struct cfi_vm *vm)
{
	uint64_t end = vm->fde->end;

	vm->row.start = vm->row.end;
	if (vm->row.start >= end)
		return 0;
	while (cursor_left(&vm->code) && vm->location <= vm->row.start) {
		step(vm);
		if (vm->code.bad)
			return -EINVAL;
	}
	/* Past the last instruction the row holds to the end of the function. */
	vm->row.end = vm->location > vm->row.start && vm->location < end ? vm->location : end;
	return 1;
}

int cfi_vm_find(struct cfi_vm *vm, uint64_t pc)
{
	int more;

	while ((more = cfi_vm_next(vm)) == 1)
		if (pc < vm->row.end)
			return 1;
	return more ? more : -EINVAL;
}
