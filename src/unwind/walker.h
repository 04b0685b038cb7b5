/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One step from a frame to its caller, compiled for user space and for BPF: no libc, no loops, no
 * calls but two hooks. The includer defines, before including this,
 *
 *   UNWIND_CONTEXT                                          the type of the hooks' first argument
 *   int unwind_read(UNWIND_CONTEXT *, uint64_t addr, uint64_t *ret)      a word; 0 = read,
 *                                                           else *ret is left alone
 *   int unwind_leaf(UNWIND_CONTEXT *, unsigned dwarf_reg, uint64_t *ret) a register of frame 0
 */
#ifndef UNWIND_WALKER_H
#define UNWIND_WALKER_H

#include <stdbool.h>
#include <stdint.h>

#include "event/stop.h"
#include "unwind/rule.h"

struct unwind_frame {
	uint64_t pc, sp, bp;
	bool leaf;  /* frame 0: registers other than these three are known */
	bool exact; /* pc is an interrupted instruction, not a return address */
};

/* The pc for the rule lookup: the byte before a return address, because a call may be its
 * function's last instruction. */
static inline uint64_t unwind_lookup_pc(const struct unwind_frame *frame)
{
	return frame->pc - !frame->exact;
}

static inline enum stack_stop unwind_step_signal(const struct unwind_rule *rule,
						 struct unwind_frame *frame,
						 UNWIND_CONTEXT *context)
{
	uint64_t sp = frame->sp;

	if (unwind_read(context, sp + (uint64_t)rule->ra_off, &frame->pc) ||
	    unwind_read(context, sp + (uint64_t)rule->bp_off, &frame->bp) ||
	    unwind_read(context, sp + (uint64_t)rule->cfa_off, &frame->sp))
		return STACK_STOP_READ_FAULT;
	frame->leaf = false;
	frame->exact = true;
	return STACK_STOP_NONE;
}

/* Code without a table: believe the frame pointer as far as it can be checked here. */
static inline enum stack_stop unwind_step_fp(const struct unwind_rule *rule,
					     struct unwind_frame *frame, UNWIND_CONTEXT *context)
{
	uint64_t at = frame->bp;

	if (!at || at & 7 || (at < frame->sp && !(rule->flags & UNWIND_ANY_STACK)))
		return STACK_STOP_FP_LOST;
	if (unwind_read(context, at + 8, &frame->pc) || unwind_read(context, at, &frame->bp))
		return STACK_STOP_FP_LOST;
	frame->sp = at + 16;
	frame->leaf = frame->exact = false;
	return STACK_STOP_NONE;
}

static inline enum stack_stop unwind_cfa_of(const struct unwind_rule *rule,
					    const struct unwind_frame *frame,
					    UNWIND_CONTEXT *context, uint64_t *ret)
{
	uint64_t offset = (uint64_t)rule->cfa_off; /* wraps for negative ones, as it should */

	switch (rule->cfa) {
	case UNWIND_SP:
		*ret = frame->sp + offset;
		return STACK_STOP_NONE;
	case UNWIND_BP:
		*ret = frame->bp + offset;
		return STACK_STOP_NONE;
	case UNWIND_SP_FAR:
		*ret = frame->sp + unwind_rule_far(rule);
		return STACK_STOP_NONE;
	case UNWIND_DEREF_SP:
	case UNWIND_DEREF_BP:
		offset += rule->cfa == UNWIND_DEREF_SP ? frame->sp : frame->bp;
		if (unwind_read(context, offset, ret))
			return STACK_STOP_READ_FAULT;
		*ret += (uint64_t)unwind_rule_extra(rule) * 8;
		return STACK_STOP_NONE;
	case UNWIND_REG:
		if (!frame->leaf || unwind_leaf(context, unwind_rule_extra(rule), ret))
			return STACK_STOP_UNSUPPORTED;
		*ret += offset;
		return STACK_STOP_NONE;
	case UNWIND_PLT:
		*ret = frame->sp + 8 + ((frame->pc & 15) >= offset ? 8 : 0);
		return STACK_STOP_NONE;
	case UNWIND_NONE:
		return STACK_STOP_NO_RULE;
	default:
		return STACK_STOP_UNSUPPORTED;
	}
}

/* A frame pointer that points right below the return address was set by this function, even if its
 * table only uses the stack pointer (Go). A place below the stack pointer was already popped:
 * compilers do not record that the register is restored. The copied stack does not contain that
 * place, and the register has the same value. */
static inline enum stack_stop unwind_caller_bp(const struct unwind_rule *rule, uint64_t cfa,
					       struct unwind_frame *frame, UNWIND_CONTEXT *context)
{
	uint64_t at = cfa + (uint64_t)rule->bp_off;

	switch (rule->flags & UNWIND_BP_MASK) {
	case UNWIND_BP_SAME:
		if (frame->bp + 16 != cfa)
			return STACK_STOP_NONE;
		at = frame->bp;
		break;
	case UNWIND_BP_UNDEFINED:
		frame->bp = 0;
		return STACK_STOP_NONE;
	case UNWIND_BP_BP:
		at = frame->bp + (uint64_t)rule->bp_off;
		break;
	default:
		break;
	}
	if (unwind_read(context, at, &frame->bp) && at >= frame->sp)
		return STACK_STOP_READ_FAULT;
	return STACK_STOP_NONE;
}

/* Replaces *frame by its caller: STACK_STOP_NONE, or why the walk ends here (then *frame is
 * unspecified but for ROOT). */
static inline enum stack_stop unwind_step(const struct unwind_rule *rule,
					  struct unwind_frame *frame, UNWIND_CONTEXT *context)
{
	int ra_off = rule->cfa == UNWIND_SP_FAR ? UNWIND_FAR_RA : rule->ra_off;
	bool ra_in_register = rule->flags & UNWIND_RA_REG;
	enum stack_stop stop;
	uint64_t cfa, ra;

	if (rule->cfa == UNWIND_END)
		return rule->cfa_off == UNWIND_END_SWITCHED ? STACK_STOP_SWITCHED : STACK_STOP_ROOT;
	if (rule->cfa == UNWIND_SIGNAL)
		return unwind_step_signal(rule, frame, context);
	if (rule->cfa == UNWIND_FP)
		return unwind_step_fp(rule, frame, context);
	stop = unwind_cfa_of(rule, frame, context, &cfa);
	if (stop)
		return stop;
	/* A frame holds at least its return address, unless a leaf took that off the stack. */
	if (cfa < frame->sp || (cfa == frame->sp && !ra_in_register))
		return STACK_STOP_BAD_CFA;
	if (ra_in_register) {
		if (!frame->leaf || unwind_leaf(context, (unsigned)ra_off, &ra))
			return STACK_STOP_UNSUPPORTED;
	} else if (unwind_read(context, cfa + (uint64_t)ra_off, &ra)) {
		return STACK_STOP_READ_FAULT;
	}
	stop = unwind_caller_bp(rule, cfa, frame, context);
	if (stop)
		return stop;
	frame->pc = ra;
	frame->sp = cfa;
	frame->leaf = false;
	frame->exact = rule->flags & UNWIND_EXACT;
	return STACK_STOP_NONE;
}

#endif
