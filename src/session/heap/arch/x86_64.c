/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64, for remote_arch.h. */
#include <elf.h>
#include <errno.h>
#include <sys/syscall.h>

#include "session/heap/remote_arch.h"

#define CODE_64_BITS 0x33 /* the code segment of 64-bit programs */

/* Of the kernel, not for programs: an interrupted call is to be made again. */
#define CALL_AGAIN	 512 /* ERESTARTSYS */
#define CALL_AGAIN_LAST	 514 /* ERESTARTNOHAND */
#define CALL_GO_ON	 516 /* ERESTART_RESTARTBLOCK */
#define INSTRUCTION_SIZE 2

const uint8_t remote_arch_instruction[] = { 0x0f, 0x05 };
const size_t remote_arch_instruction_len = sizeof(remote_arch_instruction);
const int remote_arch_state = NT_X86_XSTATE;

bool remote_arch_fits(const struct user_regs_struct *regs)
{
	return regs->cs == CODE_64_BITS;
}

uint64_t *remote_arch_pc(struct user_regs_struct *regs)
{
	return (uint64_t *)&regs->rip;
}

void remote_arch_restart(struct user_regs_struct *regs)
{
	int64_t error = -(int64_t)regs->rax;

	if ((int64_t)regs->orig_rax >= 0 &&
	    ((error >= CALL_AGAIN && error <= CALL_AGAIN_LAST) || error == CALL_GO_ON)) {
		regs->rax = error == CALL_GO_ON ? SYS_restart_syscall : regs->orig_rax;
		regs->rip -= INSTRUCTION_SIZE;
	}
	regs->orig_rax = ~0ull;
}

void remote_arch_call(struct user_regs_struct *regs, uint64_t instruction, long number,
		      const uint64_t args[6])
{
	regs->rip = instruction;
	regs->rax = (uint64_t)number;
	regs->orig_rax = ~0ull;
	regs->rdi = args[0];
	regs->rsi = args[1];
	regs->rdx = args[2];
	regs->r10 = args[3];
	regs->r8 = args[4];
	regs->r9 = args[5];
}

void remote_arch_jump(struct user_regs_struct *regs, uint64_t code, uint64_t stack,
		      const uint64_t args[4])
{
	regs->rip = code;
	regs->rsp = stack;
	regs->orig_rax = ~0ull;
	regs->eflags &= ~0x400ull; /* strings are copied upwards */
	regs->rdi = args[0];
	regs->rsi = args[1];
	regs->rdx = args[2];
	regs->rcx = args[3];
}

uint64_t remote_arch_argument(const struct user_regs_struct *regs)
{
	return regs->rdi;
}

int64_t remote_arch_result(const struct user_regs_struct *regs)
{
	return (int64_t)regs->rax;
}
