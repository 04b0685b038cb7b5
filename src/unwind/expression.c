/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DWARF stack machine (DWARF 5 section 2.5.1) with bounds on depth and work. Operations that
 * need types, threads or objects do not occur in call frames and are refused. */
#include "unwind/expression.h"

#include <dwarf.h>

#define MAX_DEPTH 32
#define MAX_STEPS 256 /* branches may go backwards */

struct machine {
	struct cfi_cursor code;
	const uint8_t *start;
	const struct expression_context *context;
	uint64_t stack[MAX_DEPTH];
	size_t depth;
	enum stack_stop stop; /* READ_FAULT; everything bad sets code.bad */
};

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == MAX_DEPTH)
		m->code.bad = true;
	else
		m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
	if (m->depth)
		return m->stack[--m->depth];
	m->code.bad = true;
	return 0;
}

/* The nth value from the top. */
static uint64_t peek(struct machine *m, size_t n)
{
	if (n < m->depth)
		return m->stack[m->depth - 1 - n];
	m->code.bad = true;
	return 0;
}

static void push_register(struct machine *m, uint64_t reg, int64_t offset)
{
	const struct unwind_registers *registers = m->context->registers;

	if (reg >= ARCH_DWARF_REGS || !(registers->known >> reg & 1))
		m->code.bad = true;
	else
		push(m, registers->value[reg] + (uint64_t)offset);
}

static void dereference(struct machine *m, size_t size)
{
	uint64_t addr = pop(m), value;

	if (m->code.bad)
		return;
	if (size > 8 || !size)
		m->code.bad = true;
	else if (!unwind_memory_read(m->context->memory, addr, size, &value))
		m->stop = STACK_STOP_READ_FAULT;
	else
		push(m, value);
}

static void branch(struct machine *m, bool taken)
{
	int64_t distance = cursor_signed(&m->code, 2);

	if (!taken || m->code.bad)
		return;
	if (distance < m->start - m->code.at || distance > m->code.end - m->code.at)
		m->code.bad = true;
	else
		m->code.at += distance;
}

static uint64_t divide(struct machine *m, uint64_t a, uint64_t b, bool remainder)
{
	if (!b) {
		m->code.bad = true;
		return 0;
	}
	if (remainder)
		return a % b;
	return (int64_t)b == -1 ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t binary(struct machine *m, uint8_t op, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_div:
		return divide(m, a, b, false);
	case DW_OP_mod:
		return divide(m, a, b, true);
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_or:
		return a | b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	case DW_OP_shra:
		return (uint64_t)(x >> (b < 64 ? b : 63));
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_eq:
		return x == y;
	case DW_OP_ge:
		return x >= y;
	case DW_OP_gt:
		return x > y;
	case DW_OP_le:
		return x <= y;
	case DW_OP_lt:
		return x < y;
	default: /* DW_OP_ne */
		return x != y;
	}
}

static void unary(struct machine *m, uint8_t op)
{
	uint64_t a = pop(m);

	if (op == DW_OP_not)
		push(m, ~a);
	else
		push(m, op == DW_OP_neg || (int64_t)a < 0 ? -a : a);
}

static void shuffle(struct machine *m, uint8_t op)
{
	uint64_t a, b, c;

	switch (op) {
	case DW_OP_dup:
		push(m, peek(m, 0));
		break;
	case DW_OP_drop:
		(void)pop(m);
		break;
	case DW_OP_over:
		push(m, peek(m, 1));
		break;
	case DW_OP_pick:
		push(m, peek(m, cursor_u8(&m->code)));
		break;
	case DW_OP_swap:
		a = pop(m);
		b = pop(m);
		push(m, a);
		push(m, b);
		break;
	default: /* DW_OP_rot */
		a = pop(m);
		b = pop(m);
		c = pop(m);
		push(m, a);
		push(m, c);
		push(m, b);
	}
}

static void constant(struct machine *m, uint8_t op)
{
	size_t size = (size_t)1 << ((op - DW_OP_const1u) / 2);

	if (op == DW_OP_constu)
		push(m, cursor_uleb(&m->code));
	else if (op == DW_OP_consts)
		push(m, (uint64_t)cursor_sleb(&m->code));
	else if ((op - DW_OP_const1u) & 1)
		push(m, (uint64_t)cursor_signed(&m->code, size));
	else
		push(m, cursor_unsigned(&m->code, size));
}

static void step(struct machine *m)
{
	uint8_t op = cursor_u8(&m->code);
	uint64_t a, b;

	switch (op) {
	case DW_OP_lit0 ... DW_OP_lit31:
		push(m, op - DW_OP_lit0);
		break;
	case DW_OP_breg0 ... DW_OP_breg31:
		push_register(m, op - DW_OP_breg0, cursor_sleb(&m->code));
		break;
	case DW_OP_bregx:
		a = cursor_uleb(&m->code);
		push_register(m, a, cursor_sleb(&m->code));
		break;
	case DW_OP_const1u ... DW_OP_consts:
		constant(m, op);
		break;
	case DW_OP_addr:
		push(m, cursor_unsigned(&m->code, 8) + m->context->bias);
		break;
	case DW_OP_deref:
		dereference(m, 8);
		break;
	case DW_OP_deref_size:
		dereference(m, cursor_u8(&m->code));
		break;
	case DW_OP_dup ... DW_OP_rot:
		shuffle(m, op);
		break;
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
		unary(m, op);
		break;
	case DW_OP_plus_uconst:
		a = pop(m);
		push(m, a + cursor_uleb(&m->code));
		break;
	case DW_OP_and:
	case DW_OP_div ... DW_OP_mul:
	case DW_OP_or:
	case DW_OP_plus:
	case DW_OP_shl ... DW_OP_xor:
	case DW_OP_eq ... DW_OP_ne:
		b = pop(m);
		a = pop(m);
		push(m, binary(m, op, a, b));
		break;
	case DW_OP_bra:
	case DW_OP_skip:
		branch(m, op == DW_OP_skip || pop(m));
		break;
	case DW_OP_nop:
		break;
	default:
		m->code.bad = true;
	}
}

enum stack_stop expression_evaluate(struct cfi_cursor code, const uint64_t *first,
				    const struct expression_context *context, uint64_t *ret)
{
	struct machine m = { .code = code, .start = code.at, .context = context };
	unsigned steps = 0;

	if (first)
		push(&m, *first);
	while (cursor_left(&m.code) && !m.code.bad && !m.stop) {
		if (++steps > MAX_STEPS)
			return STACK_STOP_UNSUPPORTED;
		step(&m);
	}
	if (m.stop)
		return m.stop;
	if (m.code.bad || !m.depth)
		return STACK_STOP_UNSUPPORTED;
	*ret = m.stack[m.depth - 1];
	return STACK_STOP_NONE;
}

bool expression_simple(struct cfi_cursor code, struct expression_simple *ret)
{
	uint8_t op = cursor_u8(&code);

	if (op < DW_OP_breg0 || op > DW_OP_breg31)
		return false;
	*ret = (struct expression_simple){ .reg = op - DW_OP_breg0, .offset = cursor_sleb(&code) };
	if (cursor_left(&code) && *code.at == DW_OP_deref) {
		ret->deref = true;
		cursor_skip(&code, 1);
	}
	if (ret->deref && cursor_left(&code) && *code.at == DW_OP_plus_uconst) {
		cursor_skip(&code, 1);
		ret->addend = (int64_t)cursor_uleb(&code);
	}
	return !code.bad && !cursor_left(&code);
}
