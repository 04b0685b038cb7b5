/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packs call frame rows into 8-byte rules (see rule.h). Rows that do not fit become
 * UNWIND_UNSUPPORTED, never an approximation. */
#include "unwind/rule.h"

#include "unwind/evaluate.h"

static const struct unwind_rule unsupported = { .cfa = UNWIND_UNSUPPORTED };

static bool fits(int64_t value)
{
	return value >= INT16_MIN && value <= INT16_MAX;
}

static struct cfi_cursor expression_at(const struct cfi_vm *vm, int32_t offset)
{
	struct cfi_cursor code = { .at = vm->section->data + offset,
				   .end = vm->section->data + vm->section->len };
	uint64_t len = cursor_uleb(&code); /* cfi.c has checked it */

	code.end = code.at + len;
	return code;
}

/* The CFA by an expression: a word on the stack, or the PLT's pc-dependent form. */
static bool pack_cfa_expression(const struct cfi_vm *vm, struct unwind_rule *rule)
{
	struct cfi_cursor code = expression_at(vm, vm->row.cfa.value);
	unsigned threshold = arch_plt_threshold(code.at, cursor_left(&code));
	struct expression_simple simple;

	if (threshold) {
		rule->cfa = UNWIND_PLT;
		rule->cfa_off = (int16_t)threshold;
		return true;
	}
	if (!expression_simple(code, &simple) || !simple.deref || !fits(simple.offset) ||
	    simple.addend % 8 || simple.addend < 0 || simple.addend >= 16 * 8)
		return false;
	if (simple.reg != ARCH_DWARF_SP && simple.reg != ARCH_DWARF_BP)
		return false;
	rule->cfa = simple.reg == ARCH_DWARF_SP ? UNWIND_DEREF_SP : UNWIND_DEREF_BP;
	rule->cfa_off = (int16_t)simple.offset;
	unwind_rule_set_extra(rule, (unsigned)simple.addend / 8);
	return true;
}

static bool pack_cfa(const struct cfi_vm *vm, struct unwind_rule *rule)
{
	const struct cfi_rule *cfa = &vm->row.cfa;

	if (cfa->kind == CFI_VAL_EXPRESSION)
		return pack_cfa_expression(vm, rule);
	if (cfa->kind != CFI_REGISTER || !fits(cfa->value))
		return false;
	rule->cfa_off = (int16_t)cfa->value;
	if (cfa->reg == ARCH_DWARF_SP) {
		rule->cfa = UNWIND_SP;
	} else if (cfa->reg == ARCH_DWARF_BP) {
		rule->cfa = UNWIND_BP;
	} else if (cfa->reg < 16) {
		rule->cfa = UNWIND_REG;
		unwind_rule_set_extra(rule, cfa->reg);
	} else {
		return false;
	}
	return true;
}

static bool pack_bp(const struct cfi_vm *vm, struct unwind_rule *rule)
{
	const struct cfi_rule *bp = &vm->row.reg[ARCH_DWARF_BP];
	struct expression_simple simple;

	switch (bp->kind) {
	case CFI_UNSET:
	case CFI_SAME:
		rule->flags |= UNWIND_BP_SAME;
		return true;
	case CFI_UNDEFINED:
		rule->flags |= UNWIND_BP_UNDEFINED;
		return true;
	case CFI_OFFSET:
		rule->flags |= UNWIND_BP_CFA;
		rule->bp_off = (int16_t)bp->value;
		return fits(bp->value);
	case CFI_EXPRESSION:
		if (!expression_simple(expression_at(vm, bp->value), &simple) || simple.deref ||
		    simple.reg != ARCH_DWARF_BP || !fits(simple.offset))
			return false;
		rule->flags |= UNWIND_BP_BP;
		rule->bp_off = (int16_t)simple.offset;
		return true;
	default:
		return false;
	}
}

static bool pack_ra(const struct cfi_vm *vm, struct unwind_rule *rule)
{
	const struct cfi_rule *ra = &vm->row.reg[vm->fde->ra];

	if (ra->kind == CFI_UNSET && vm->fde->ra != ARCH_DWARF_PC) { /* the link register */
		rule->flags |= UNWIND_RA_REG;
		rule->ra_off = vm->fde->ra;
		return true;
	}
	rule->ra_off = (int16_t)ra->value;
	if (ra->kind == CFI_REGISTER) {
		rule->flags |= UNWIND_RA_REG;
		return ra->value < ARCH_DWARF_REGS;
	}
	return ra->kind == CFI_OFFSET && fits(ra->value);
}

/* Large arrays on the stack. */
static bool pack_far(const struct cfi_vm *vm, struct unwind_rule *rule)
{
	const struct cfi_rule *cfa = &vm->row.cfa, *ra = &vm->row.reg[vm->fde->ra];

	if (cfa->kind != CFI_REGISTER || cfa->reg != ARCH_DWARF_SP || cfa->value <= INT16_MAX ||
	    ra->kind != CFI_OFFSET || ra->value != UNWIND_FAR_RA)
		return false;
	rule->cfa = UNWIND_SP_FAR;
	unwind_rule_set_far(rule, (uint32_t)cfa->value);
	return true;
}

/* A register saved at a constant distance from the stack pointer. */
static bool saved_at_sp(const struct cfi_vm *vm, unsigned reg, int16_t *ret)
{
	const struct cfi_rule *rule = &vm->row.reg[reg];
	struct expression_simple simple;

	if (rule->kind != CFI_EXPRESSION ||
	    !expression_simple(expression_at(vm, rule->value), &simple) || simple.deref ||
	    simple.reg != ARCH_DWARF_SP || !fits(simple.offset))
		return false;
	*ret = (int16_t)simple.offset;
	return true;
}

/* The C library's handler return stub: everything lies in the kernel's signal frame. */
static bool pack_signal(const struct cfi_vm *vm, struct unwind_rule *rule)
{
	if (!pack_cfa(vm, rule) || rule->cfa != UNWIND_DEREF_SP || unwind_rule_extra(rule) ||
	    !saved_at_sp(vm, ARCH_DWARF_BP, &rule->bp_off) ||
	    !saved_at_sp(vm, vm->fde->ra, &rule->ra_off))
		return false;
	rule->cfa = UNWIND_SIGNAL;
	rule->flags |= UNWIND_EXACT;
	return true;
}

struct unwind_rule rule_pack(const struct cfi_vm *vm)
{
	struct unwind_rule rule = { 0 };

	if (vm->row.reg[vm->fde->ra].kind == CFI_UNDEFINED)
		return (struct unwind_rule){ .cfa = UNWIND_END };
	if (vm->fde->signal && pack_signal(vm, &rule))
		return rule;
	if (vm->row.reg[ARCH_DWARF_SP].kind != CFI_UNSET)
		return unsupported; /* the caller's stack pointer is not the CFA: longjmp */
	rule = (struct unwind_rule){ .flags = vm->fde->signal ? UNWIND_EXACT : 0 };
	if (!pack_far(vm, &rule) && (!pack_cfa(vm, &rule) || !pack_ra(vm, &rule)))
		return unsupported;
	return pack_bp(vm, &rule) ? rule : unsupported;
}
