/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64: register numbering, and the few instruction sequences the unwinder recognises where code
 * comes without a table. Not recognised: makecontext()'s end, Go's changes of stack, and prologues
 * of assembly without rows. */
#include <string.h>

#include "unwind/arch/aarch64_code.h"
#include "unwind/arch/arch.h"
#include "unwind/expression.h"
#include "unwind/rule.h"

/* Saved registers in the kernel's rt signal frame, from the stack pointer at the return stub: 128
 * bytes of siginfo, and 184 of struct ucontext before the 31 registers, sp and pc. */
#define SIGNAL_REGISTERS (128 + 184)
#define SIGNAL_BP	 (SIGNAL_REGISTERS + 8 * ARCH_DWARF_BP)
#define SIGNAL_SP	 (SIGNAL_REGISTERS + 8 * 31)
#define SIGNAL_PC	 (SIGNAL_REGISTERS + 8 * 32)

#define INSTRUCTION 4
#define EXIT_CALL   0xd2800ba8u /* mov x8, #93 */
#define CBZ_X0_MASK 0xff00001fu
#define CBZ_X0	    0xb4000000u

void arch_registers(uint64_t mask, const uint64_t *regs, struct unwind_registers *ret)
{
	const unsigned pc = 32; /* PERF_REG_ARM64_PC; those before it have DWARF's numbers */

	*ret = (struct unwind_registers){ .known = 0 };
	for (; mask; mask &= mask - 1, regs++) {
		unsigned bit = (unsigned)__builtin_ctzll(mask);
		unsigned reg = bit == pc ? ARCH_DWARF_PC : bit;

		if (bit > pc || bit == ARCH_DWARF_PC)
			continue;
		ret->value[reg] = *regs;
		ret->known |= 1u << reg;
	}
}

/* The instruction `count` from the pc; 0, which is none, outside of the code. */
static uint32_t instruction(const struct arch_code *code, int count)
{
	ptrdiff_t offset = count * INSTRUCTION;
	uint32_t ret;

	if (offset < code->start - code->at || offset > code->end - code->at - INSTRUCTION)
		return 0;
	memcpy(&ret, code->at + offset, sizeof(ret));
	return ret;
}

bool arch_signal_stub(const struct arch_code *code, struct unwind_rule *ret)
{
	bool first = instruction(code, 0) == AARCH64_SIGRETURN &&
		     instruction(code, 1) == AARCH64_SVC;
	bool second = instruction(code, -1) == AARCH64_SIGRETURN &&
		      instruction(code, 0) == AARCH64_SVC;
	bool entered = instruction(code, -2) == AARCH64_SIGRETURN &&
		       instruction(code, -1) == AARCH64_SVC; /* in the kernel */

	if (!first && !second && !entered)
		return false;
	*ret = (struct unwind_rule){ .cfa = UNWIND_SIGNAL,
				     .flags = UNWIND_EXACT,
				     .cfa_off = SIGNAL_SP,
				     .bp_off = SIGNAL_BP,
				     .ra_off = SIGNAL_PC };
	return true;
}

bool arch_after_syscall(const struct arch_code *code)
{
	return instruction(code, -1) == AARCH64_SVC;
}

/* musl's clone: what the new thread's function returns to ends the thread by exit(2). */
bool arch_thread_start(const struct arch_code *code)
{
	return instruction(code, 0) == EXIT_CALL && instruction(code, 1) == AARCH64_SVC;
}

/* mov x0, x0; bl runtime.goexit1: the return address is that of the call. */
bool arch_goroutine_exit(const struct arch_code *code)
{
	return instruction(code, -1) == AARCH64_GO_NOP && aarch64_is_bl(instruction(code, 0));
}

bool arch_go_switch(const struct arch_code *code)
{
	(void)code;
	return false;
}

/* svc; cbz x0, thread_start */
bool arch_thread_begins(const struct arch_code *code)
{
	return arch_after_syscall(code) && (instruction(code, 0) & CBZ_X0_MASK) == CBZ_X0;
}

bool arch_context_exit(const struct arch_code *code)
{
	(void)code;
	return false;
}

bool arch_go_entry(const struct arch_code *code, struct unwind_rule *ret)
{
	(void)code;
	(void)ret;
	return false;
}

bool arch_call_target(const struct arch_code *code, int64_t *relative)
{
	uint32_t call = instruction(code, -1);

	if (!aarch64_is_bl(call))
		return false;
	*relative = aarch64_bl_distance(call) - INSTRUCTION;
	return true;
}

bool arch_after_call(const struct arch_code *code)
{
	uint32_t call = instruction(code, -1);

	return aarch64_is_bl(call) || aarch64_is_blr(call);
}

/* Slots as ld and lld write them: adrp x16; ldr x17, [x16, …]; add x16, x16, …; br x17. */
static bool is_plt(uint32_t code)
{
	return (code & 0x9f00001fu) == 0x90000010u || (code & 0xffc003ffu) == 0xf9400211u ||
	       (code & 0xff8003ffu) == 0x91000210u || code == 0xd61f0220u;
}

bool arch_sniff(const struct arch_code *code, struct unwind_rule *ret)
{
	uint32_t at = instruction(code, 0);

	if (!is_plt(at))
		return aarch64_sniff(instruction(code, -1), at, ret);
	*ret = (struct unwind_rule)ARCH_ENTRY_RULE;
	return true;
}

bool arch_prologue(const struct arch_code *code, bool returns, struct unwind_rule *ret)
{
	(void)code;
	(void)returns;
	(void)ret;
	return false;
}

size_t arch_padding(const struct arch_code *code)
{
	uint32_t at = instruction(code, 0);

	return code->end - code->at >= INSTRUCTION && (at == AARCH64_NOP || !at) ? INSTRUCTION : 0;
}

bool arch_next_spot(struct arch_code *code, bool is_go, uint64_t *from, uint64_t *to)
{
	for (; code->end - code->at >= INSTRUCTION; code->at += INSTRUCTION) {
		uint64_t here = (uint64_t)(code->at - code->start);

		if (instruction(code, 0) == AARCH64_SVC &&
		    instruction(code, -1) == AARCH64_SIGRETURN) {
			*from = here > INSTRUCTION ? here - INSTRUCTION - 1 : 0;
			*to = here + INSTRUCTION + 1;
		} else if (is_go && arch_goroutine_exit(code)) {
			*from = here - 1; /* it looks back at the no-op, so here > 0 */
			*to = here;
		} else {
			continue;
		}
		code->at += INSTRUCTION;
		return true;
	}
	return false;
}

/* This CPU's linkers write no such expressions. */
unsigned arch_plt_threshold(const uint8_t *expression, size_t len)
{
	(void)expression;
	(void)len;
	return 0;
}
