/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64, for remote_arch.h. The kernel has prepared the repetition of an interrupted system call
 * already when a thread stops; a sleep begins anew then. */
#include <elf.h>

#include "session/heap/remote_arch.h"

#define MODE_32_BITS 0x10 /* of the processor state */

const uint8_t remote_arch_instruction[] = { 0x01, 0x00, 0x00, 0xd4 };
const size_t remote_arch_instruction_len = sizeof(remote_arch_instruction);
const int remote_arch_state = NT_PRFPREG;

bool remote_arch_fits(const struct user_regs_struct *regs)
{
	return !(regs->pstate & MODE_32_BITS);
}

uint64_t *remote_arch_pc(struct user_regs_struct *regs)
{
	return (uint64_t *)&regs->pc;
}

void remote_arch_restart(struct user_regs_struct *regs)
{
	(void)regs;
}

void remote_arch_call(struct user_regs_struct *regs, uint64_t instruction, long number,
		      const uint64_t args[6])
{
	regs->pc = instruction;
	regs->regs[8] = (uint64_t)number;
	for (int i = 0; i < 6; i++)
		regs->regs[i] = args[i];
}

void remote_arch_jump(struct user_regs_struct *regs, uint64_t code, uint64_t stack,
		      const uint64_t args[4])
{
	regs->pc = code;
	regs->sp = stack;
	for (int i = 0; i < 4; i++)
		regs->regs[i] = args[i];
}

uint64_t remote_arch_argument(const struct user_regs_struct *regs)
{
	return regs->regs[0];
}

int64_t remote_arch_result(const struct user_regs_struct *regs)
{
	return (int64_t)regs->regs[0];
}
