/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Full evaluation of call frame rows: every general register, every rule, DWARF expressions. Slower
 * than packed rules, and used only for stacks with a frame that those cannot represent. */
#include "unwind/evaluate.h"

struct evaluation {
	const struct cfi_vm *vm;
	const struct unwind_registers *callee;
	struct expression_context context;
	uint64_t cfa;
};

static bool known(const struct unwind_registers *registers, unsigned reg)
{
	return reg < ARCH_DWARF_REGS && registers->known >> reg & 1;
}

static enum stack_stop run(const struct evaluation *e, int32_t offset, const uint64_t *first,
			   uint64_t *ret)
{
	const struct cfi_section *section = e->vm->section;
	struct cfi_cursor code = { .at = section->data + offset,
				   .end = section->data + section->len };
	uint64_t len = cursor_uleb(&code);

	if (!cursor_has(&code, len))
		return STACK_STOP_UNSUPPORTED;
	code.end = code.at + len;
	return expression_evaluate(code, first, &e->context, ret);
}

static enum stack_stop evaluate_cfa(struct evaluation *e)
{
	const struct cfi_rule *cfa = &e->vm->row.cfa;

	if (cfa->kind == CFI_VAL_EXPRESSION)
		return run(e, cfa->value, NULL, &e->cfa);
	if (cfa->kind != CFI_REGISTER || !known(e->callee, cfa->reg))
		return STACK_STOP_UNSUPPORTED;
	e->cfa = e->callee->value[cfa->reg] + (uint64_t)cfa->value;
	return STACK_STOP_NONE;
}

static enum stack_stop load(const struct evaluation *e, uint64_t addr, uint64_t *ret)
{
	return unwind_memory_read(e->context.memory, addr, 8, ret) ? STACK_STOP_NONE
								   : STACK_STOP_READ_FAULT;
}

/* The caller's value of one register. UNSUPPORTED when it cannot be known. */
static enum stack_stop evaluate_register(const struct evaluation *e, unsigned reg, uint64_t *ret)
{
	const struct cfi_rule *rule = &e->vm->row.reg[reg];
	uint64_t at = e->cfa + (uint64_t)rule->value;
	unsigned from = reg;
	enum stack_stop stop;

	switch (rule->kind) {
	case CFI_OFFSET:
		stop = load(e, at, ret);
		if (!stop || at >= e->callee->value[ARCH_DWARF_SP] || !known(e->callee, reg))
			return stop;
		*ret = e->callee->value[reg]; /* popped already, see unwind_caller_bp() */
		return STACK_STOP_NONE;
	case CFI_VAL_OFFSET:
		*ret = at;
		return STACK_STOP_NONE;
	case CFI_EXPRESSION:
		stop = run(e, rule->value, &e->cfa, &at);
		return stop ? stop : load(e, at, ret);
	case CFI_VAL_EXPRESSION:
		return run(e, rule->value, &e->cfa, ret);
	case CFI_UNDEFINED:
		return STACK_STOP_UNSUPPORTED;
	case CFI_UNSET:
		/* Calls destroy these registers. */
		if (reg == ARCH_DWARF_SP) {
			*ret = e->cfa;
			return STACK_STOP_NONE;
		}
		if (!(ARCH_CALLEE_SAVED >> reg & 1) && !e->vm->fde->signal)
			return STACK_STOP_UNSUPPORTED;
		break;
	case CFI_REGISTER:
		from = (unsigned)rule->value;
		break;
	default: /* CFI_SAME */
		break;
	}
	if (!known(e->callee, from))
		return STACK_STOP_UNSUPPORTED;
	*ret = e->callee->value[from];
	return STACK_STOP_NONE;
}

/* A leaf's return address may still be in the link register, which calls destroy. */
static bool is_linked(const struct evaluation *e, uint8_t ra)
{
	return e->vm->row.reg[ra].kind == CFI_UNSET && ra != ARCH_DWARF_PC && known(e->callee, ra);
}

static enum stack_stop evaluate_return(const struct evaluation *e, uint8_t ra, uint64_t *ret)
{
	if (!is_linked(e, ra))
		return evaluate_register(e, ra, ret);
	*ret = e->callee->value[ra];
	return STACK_STOP_NONE;
}

enum stack_stop evaluate_row(const struct cfi_vm *vm, const struct unwind_memory *memory,
			     uint64_t bias, struct unwind_registers *registers)
{
	struct evaluation e = { .vm = vm,
				.callee = registers,
				.context = {
					.registers = registers, .memory = memory, .bias = bias } };
	struct unwind_registers caller = { .known = 0 };
	uint64_t sp, caller_sp;
	uint8_t ra = vm->fde->ra;
	enum stack_stop stop;

	if (vm->row.reg[ra].kind == CFI_UNDEFINED)
		return STACK_STOP_ROOT;
	stop = evaluate_cfa(&e);
	if (stop)
		return stop;
	stop = evaluate_return(&e, ra, &caller.value[ARCH_DWARF_PC]);
	if (stop)
		return stop;
	caller.known = 1u << ARCH_DWARF_PC;
	for (unsigned reg = 0; reg < ARCH_DWARF_REGS; reg++)
		if (reg != ARCH_DWARF_PC && !evaluate_register(&e, reg, &caller.value[reg]))
			caller.known |= 1u << reg;
	/* A frame holds at least its return address, unless a leaf took that off the stack. */
	sp = registers->value[ARCH_DWARF_SP];
	caller_sp = caller.value[ARCH_DWARF_SP];
	if (!(caller.known >> ARCH_DWARF_SP & 1))
		return STACK_STOP_UNSUPPORTED;
	if (!vm->fde->signal &&
	    (caller_sp < sp ||
	     (caller_sp == sp && vm->row.reg[ra].kind != CFI_REGISTER && !is_linked(&e, ra))))
		return STACK_STOP_BAD_CFA;
	if (ra != ARCH_DWARF_PC && !vm->fde->signal)
		caller.known &= ~(1u << ra);
	*registers = caller;
	return STACK_STOP_NONE;
}
