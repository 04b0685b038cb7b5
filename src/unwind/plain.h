/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plain unwind steps, which are nearly all: the caller depends only on the frame's stack pointer
 * and frame pointer, and only the return address, which is the frame's last word, and possibly the
 * caller's frame pointer are read. Compiled for BPF and for user space. */
#ifndef UNWIND_PLAIN_H
#define UNWIND_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/rule.h"

struct unwind_plain {
	uint32_t size : 31; /* of the frame: from its stack pointer to the caller's, in bytes */
	uint32_t by_bp : 1; /* uses the frame's own frame pointer */
	uint32_t bp_at; /* where the caller's frame pointer is, in bytes above the stack pointer */
};

#define UNWIND_BP_STAYS UINT32_MAX /* for bp_at */

/* True for a frame pointer without a rule that points to a saved one. */
static inline bool unwind_bp_is_base(uint64_t size, uint64_t sp, uint64_t bp)
{
	return bp - sp + 16 == size;
}

/* The step of unwind_step() by that rule in such a frame; false if it is of another kind. */
static inline bool unwind_plain_of(const struct unwind_rule *rule, uint64_t sp, uint64_t bp,
				   struct unwind_plain *ret)
{
	uint64_t size = (uint64_t)rule->cfa_off, bp_at;
	bool by_bp = rule->cfa == UNWIND_BP;

	if (by_bp)
		size += bp - sp;
	if ((rule->cfa != UNWIND_SP && rule->cfa != UNWIND_BP) || rule->ra_off != -8 ||
	    rule->flags & (UNWIND_RA_REG | UNWIND_EXACT) || size < 8 || size >> 31)
		return false;
	switch (rule->flags & UNWIND_BP_MASK) {
	case UNWIND_BP_SAME:
		by_bp |= unwind_bp_is_base(size, sp, bp);
		bp_at = unwind_bp_is_base(size, sp, bp) ? bp - sp : UNWIND_BP_STAYS;
		break;
	case UNWIND_BP_CFA:
		bp_at = size + (uint64_t)rule->bp_off;
		break;
	case UNWIND_BP_BP:
		by_bp = true;
		bp_at = bp - sp + (uint64_t)rule->bp_off;
		break;
	default:
		return false;
	}
	*ret = (struct unwind_plain){ (uint32_t)size, by_bp, (uint32_t)bp_at };
	return !(bp_at >> 31) || bp_at == UNWIND_BP_STAYS;
}

#endif
