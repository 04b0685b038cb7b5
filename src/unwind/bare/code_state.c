/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Effects of instructions on the stack pointer and the frame pointer (see code_state.h). */
#include "unwind/bare/code_state.h"

#include "unwind/arch/arch.h"

#define WORD 8
/* Frames above this are not followed. */
#define DEEPEST (1 << 24)

struct code_state code_state_entry(void)
{
	return (struct code_state){ .depth = ARCH_ENTRY_CFA };
}

bool code_state_equal(const struct code_state *a, const struct code_state *b)
{
	return a->depth == b->depth && a->base == b->base && a->bp_saved == b->bp_saved;
}

static bool known(const struct code_state *state)
{
	return state->depth >= 0;
}

/* The stack pointer has an unknown value now. */
static void forget_depth(struct code_state *state)
{
	if (state->depth != CODE_ROOT)
		state->depth = CODE_UNKNOWN;
}

/* The frame pointer has another value now. */
static void forget_bp(struct code_state *state)
{
	state->base = 0;
	if (state->bp_saved == CODE_BP_SAME)
		state->bp_saved = CODE_BP_LOST;
}

static void restore_bp(struct code_state *state, int32_t from)
{
	bool restores = known(state) && state->bp_saved == from && from > 0;

	forget_bp(state);
	if (restores)
		state->bp_saved = CODE_BP_SAME;
}

/* What is below the stack pointer may be overwritten at any time. */
static void set_depth(struct code_state *state, int64_t depth)
{
	state->depth = depth >= ARCH_ENTRY_CFA && depth <= DEEPEST ? (int32_t)depth : CODE_UNKNOWN;
	if (known(state) && state->bp_saved > state->depth)
		state->bp_saved = CODE_BP_LOST;
}

static void move(struct code_state *state, int64_t by)
{
	if (known(state))
		set_depth(state, state->depth + by);
}

static void save_bp(struct code_state *state, int64_t at)
{
	if (state->bp_saved == CODE_BP_SAME && !state->base && at > ARCH_ENTRY_CFA &&
	    at <= state->depth)
		state->bp_saved = (int32_t)at;
}

static void set_bp(struct code_state *state, int32_t above)
{
	int64_t base = (int64_t)state->depth - above;

	forget_bp(state);
	if (known(state) && base > 0 && base <= DEEPEST)
		state->base = (int32_t)base;
}

static void leave(struct code_state *state)
{
	if (!state->base) {
		forget_depth(state);
		forget_bp(state);
		return;
	}
	set_depth(state, state->base);
	restore_bp(state, state->depth);
	move(state, -WORD);
}

struct code_state code_state_after(struct code_state state, const struct instruction *instruction)
{
	int32_t depth = state.depth, value = instruction->value;

	switch ((enum instruction_kind)instruction->kind) {
	case INSTRUCTION_PUSH:
		move(&state, WORD);
		if (instruction->is_bp && known(&state))
			save_bp(&state, state.depth);
		break;
	case INSTRUCTION_POP:
		if (instruction->is_bp)
			restore_bp(&state, depth);
		move(&state, -WORD);
		break;
	case INSTRUCTION_ADD:
		move(&state, -(int64_t)value);
		break;
	case INSTRUCTION_BP_FROM_SP:
		set_bp(&state, value);
		break;
	case INSTRUCTION_SP_FROM_BP:
		if (state.base)
			set_depth(&state, (int64_t)state.base - value);
		else
			forget_depth(&state);
		break;
	case INSTRUCTION_SAVE_BP:
		if (known(&state))
			save_bp(&state, (int64_t)depth - value);
		break;
	case INSTRUCTION_LOAD_BP:
		restore_bp(&state, depth - value);
		break;
	case INSTRUCTION_LEAVE:
		leave(&state);
		break;
	case INSTRUCTION_OTHER:
		if (instruction->writes_sp)
			forget_depth(&state);
		if (instruction->writes_bp)
			forget_bp(&state);
		break;
	default:
		break;
	}
	return state;
}

bool code_state_merge(const struct code_state *a, const struct code_state *b,
		      struct code_state *ret)
{
	*ret = *a;
	if (a->depth != b->depth)
		ret->depth = CODE_UNKNOWN;
	if (a->base != b->base)
		ret->base = 0;
	if (a->bp_saved != b->bp_saved)
		ret->bp_saved = CODE_BP_LOST;
	return a->depth == b->depth || ret->base || !known(a) || !known(b);
}

struct unwind_rule code_state_rule(const struct code_state *state)
{
	struct unwind_rule rule = { .cfa = UNWIND_SP, .ra_off = -ARCH_ENTRY_CFA };
	const struct unwind_rule none = { .cfa = UNWIND_FP };

	if (state->depth == CODE_ROOT)
		return (struct unwind_rule){ .cfa = UNWIND_END };
	if (state->bp_saved == CODE_BP_LOST)
		rule.flags = UNWIND_BP_UNDEFINED;
	else if (state->bp_saved != CODE_BP_SAME)
		rule.flags = UNWIND_BP_CFA;
	if (state->bp_saved > INT16_MAX)
		return none;
	if (state->bp_saved > 0)
		rule.bp_off = (int16_t)-state->bp_saved;
	if (!known(state)) {
		if (!state->base || state->base > INT16_MAX)
			return none;
		rule.cfa = UNWIND_BP;
		rule.cfa_off = (int16_t)state->base;
	} else if (state->depth <= INT16_MAX) {
		rule.cfa_off = (int16_t)state->depth;
	} else {
		rule.cfa = UNWIND_SP_FAR;
		unwind_rule_set_far(&rule, (uint32_t)state->depth);
	}
	return rule;
}
