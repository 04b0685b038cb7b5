/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers of a stopped thread, for remote.c. Implemented by arch/<cpu>.c. */
#ifndef SESSION_HEAP_REMOTE_ARCH_H
#define SESSION_HEAP_REMOTE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

/* The instruction that calls the system. */
extern const uint8_t remote_arch_instruction[];
extern const size_t remote_arch_instruction_len;
/* The register set with all but the general registers: NT_*. */
extern const int remote_arch_state;

/* Whether the thread runs code that this process could run. */
bool remote_arch_fits(const struct user_regs_struct *regs);
uint64_t *remote_arch_pc(struct user_regs_struct *regs);
/* A thread that was stopped in a system call makes it again when it goes on, as the kernel would
 * have it do. */
void remote_arch_restart(struct user_regs_struct *regs);

/* A system call at an instruction. */
void remote_arch_call(struct user_regs_struct *regs, uint64_t instruction, long number,
		      const uint64_t args[6]);
/* Code with a stack, and where a function has its first four arguments, these. */
void remote_arch_jump(struct user_regs_struct *regs, uint64_t code, uint64_t stack,
		      const uint64_t args[4]);
/* Where functions have their first argument; what a system call returned. */
uint64_t remote_arch_argument(const struct user_regs_struct *regs);
int64_t remote_arch_result(const struct user_regs_struct *regs);

#endif
