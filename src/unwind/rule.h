/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind rule of one row in 8 bytes: enough for ordinary code. Binaries have a few hundred
 * distinct ones. Other rules are UNWIND_UNSUPPORTED and left to the full evaluation (evaluate.h).
 * Contains only types: BPF compiles it too. */
#ifndef UNWIND_RULE_H
#define UNWIND_RULE_H

#include <stdint.h>

/* Where the canonical frame address (the caller's stack pointer) is. */
enum unwind_cfa {
	UNWIND_NONE,	 /* no rule: a gap between functions */
	UNWIND_SP,	 /* stack pointer + cfa_off */
	UNWIND_BP,	 /* frame pointer + cfa_off */
	UNWIND_DEREF_SP, /* the word at stack pointer + cfa_off, plus an addend (extra) */
	UNWIND_DEREF_BP, /* the word at frame pointer + cfa_off, likewise */
	UNWIND_REG,	 /* a register (extra) + cfa_off; known in leaf frames */
	UNWIND_PLT,	 /* stack pointer + 8, and 8 more from byte cfa_off of a 16-byte slot on */
	UNWIND_SIGNAL,	 /* signal frame: stack pointer, frame pointer and pc saved at stack pointer
			    + cfa_off, bp_off, ra_off */
	UNWIND_END,	 /* root of the thread; cfa_off UNWIND_END_SWITCHED: of this stack only */
	UNWIND_FP,	 /* no table: a checked step by frame pointer */
	UNWIND_SP_FAR,	 /* stack pointer + unwind_rule_far(): frames of 32 KiB and more */
	UNWIND_UNSUPPORTED,
};

/* Of UNWIND_END: the callers are on another stack, which the runtime has left. */
#define UNWIND_END_SWITCHED 1

/* Flags. The frame pointer of the caller: */
#define UNWIND_BP_MASK	    0x03
#define UNWIND_BP_SAME	    0x00 /* unchanged */
#define UNWIND_BP_CFA	    0x01 /* saved at CFA + bp_off */
#define UNWIND_BP_BP	    0x02 /* saved at frame pointer + bp_off (realigned stacks) */
#define UNWIND_BP_UNDEFINED 0x03
/* The return address is in the register ra_off (leaf frames); otherwise saved at CFA + ra_off. */
#define UNWIND_RA_REG 0x04
/* The frame was interrupted by a signal: the caller's pc is exact. */
#define UNWIND_EXACT 0x08
/* UNWIND_FP: the frame pointer may lead to another stack, which may be below (Go's runtime). */
#define UNWIND_ANY_STACK 0x10

struct unwind_rule {
	uint8_t cfa; /* enum unwind_cfa */
	uint8_t flags;
	int16_t cfa_off, bp_off, ra_off;
};

/* The flags' upper half: UNWIND_REG's register; what UNWIND_DEREF_* adds to the word, in words. */
static inline unsigned unwind_rule_extra(const struct unwind_rule *rule)
{
	return rule->flags >> 4;
}

static inline void unwind_rule_set_extra(struct unwind_rule *rule, unsigned extra)
{
	rule->flags = (uint8_t)((rule->flags & 0x0f) | extra << 4);
}

/* UNWIND_SP_FAR: the offset's upper half is in ra_off, and the return address in the frame's last
 * word. */
#define UNWIND_FAR_RA (-8)

static inline uint32_t unwind_rule_far(const struct unwind_rule *rule)
{
	return (uint16_t)rule->cfa_off | (uint32_t)(uint16_t)rule->ra_off << 16;
}

static inline void unwind_rule_set_far(struct unwind_rule *rule, uint32_t offset)
{
	rule->cfa_off = (int16_t)offset;
	rule->ra_off = (int16_t)(offset >> 16);
}

#endif
