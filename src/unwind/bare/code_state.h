/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack before an instruction of code without an unwind table, as far as it can be determined:
 * distances below the CFA (the caller's stack pointer). And how instructions change it. */
#ifndef UNWIND_BARE_CODE_STATE_H
#define UNWIND_BARE_CODE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/arch/instruction.h"
#include "unwind/rule.h"

#define CODE_UNKNOWN (-1) /* depth: the stack pointer was set in a way not followed here */
#define CODE_ROOT    (-2) /* depth: nothing called this code */
#define CODE_BP_SAME 0
#define CODE_BP_LOST (-1)

struct code_state {
	int32_t depth;	  /* of the stack pointer; or CODE_UNKNOWN, CODE_ROOT */
	int32_t base;	  /* of the frame pointer, if it is known to point there; 0 = it is not */
	int32_t bp_saved; /* of the caller's frame pointer; or CODE_BP_* */
};

/* At a function's first instruction. */
struct code_state code_state_entry(void);
bool code_state_equal(const struct code_state *a, const struct code_state *b);
/* After the instruction. */
struct code_state code_state_after(struct code_state state, const struct instruction *instruction);
/* The state where two paths join. False: their stacks differ. */
bool code_state_merge(const struct code_state *a, const struct code_state *b,
		      struct code_state *ret);
/* The unwind rule before the instruction; UNWIND_FP when there is none. */
struct unwind_rule code_state_rule(const struct code_state *state);

#endif
