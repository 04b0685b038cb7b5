/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps of the plain kind, which nearly all are: where the caller is depends on nothing but the
 * frame's stack pointer and frame pointer, and nothing is read but the return address, the frame's
 * last word, and perhaps the caller's frame pointer. Compiled for BPF and for user space. */
#ifndef UNWIND_PLAIN_H
#define UNWIND_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/rule.h"

struct unwind_plain {
	uint32_t size : 31; /* of the frame: from its stack pointer to the caller's, in bytes */
	uint32_t by_bp : 1; /* the frame's own frame pointer has a part in it */
	uint32_t bp_at; /* where the caller's frame pointer is, in bytes above the stack pointer */
};

#define UNWIND_BP_STAYS UINT32_MAX /* for bp_at */

/* A frame pointer that no rule speaks of, but that points to where one is saved. */
static inline bool unwind_bp_is_base(uint64_t size, uint64_t sp, uint64_t bp)
{
	return bp - sp + 16 == size;
}

/* What unwind_step() would do by that rule in such a frame; false when it is of another kind. */
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
