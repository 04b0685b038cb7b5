/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instruction decoder, and the instructions' effects on the stack: lengths stay in bounds, and
 * no rule leads below the stack pointer. */
#include <stdint.h>
#include <stdlib.h>

#include "unwind/bare/code_state.h"

static void check(const struct code_state *state)
{
	struct unwind_rule rule = code_state_rule(state);

	if (rule.cfa == UNWIND_SP && rule.cfa_off < 8)
		abort();
	if (rule.cfa == UNWIND_BP && rule.cfa_off <= 0)
		abort();
	if ((rule.flags & UNWIND_BP_MASK) == UNWIND_BP_CFA && rule.bp_off >= -8)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_state state = code_state_entry();
	struct instruction instruction;

	for (size_t at = 0; at < size; at += instruction.len) {
		if (!instruction_decode(data + at, size - at, &instruction))
			break;
		if (!instruction.len || instruction.len > 15 || instruction.len > size - at)
			abort();
		state = code_state_after(state, &instruction);
		check(&state);
	}
	return 0;
}
