/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64, the kernel part: user registers of an interrupted task. */
#ifndef BPF_ARCH_AARCH64_H
#define BPF_ARCH_AARCH64_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/arch/registers.h"
#include "bpf/kernel.h"

#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

/* As in unwind/arch/aarch64.h. */
#define ARCH_DWARF_REGS 32
#define ARCH_DWARF_SP	31
#define ARCH_DWARF_PC	18

#define ARCH_STACK_BYTES (16u << 10) /* THREAD_SIZE; without bpf_task_pt_regs() */

#define ARCH_SYSCALL_CLOBBERS 0u
#define ARCH_FAULT_PRESENT    0u /* the kernel does not tell page faults */

/* Of pstate: the exception level, and 32-bit code. */
#define ARCH_LEVEL_MASK 0x0fu
#define ARCH_32_BIT	0x10u

struct task_struct___arm64 {
	struct {
		struct {
			unsigned long tp_value;
		} uw;
	} thread;
} __attribute__((preserve_access_index));

static __always_inline bool arch_in_user(const bpf_user_pt_regs_t *regs)
{
	return !(regs->pstate & ARCH_LEVEL_MASK);
}

/* At the first instruction of a function: where it will return to. */
static __always_inline __u64 arch_return_address(const bpf_user_pt_regs_t *regs)
{
	return regs->regs[30];
}

static __always_inline bool arch_is_native(const struct pt_regs *regs)
{
	return !(regs->pstate & ARCH_32_BIT);
}

static __always_inline bool arch_in_syscall(const struct pt_regs *regs)
{
	return regs->syscallno >= 0;
}

#define ARCH_OTHER_SYSCALL (1 << 20) /* of a 32-bit program, which has other numbers */

/* The call a task is in: its number, negative = none, and its first arguments. */
static __always_inline long arch_syscall(const struct pt_regs *regs, uint64_t arg[3])
{
	arg[0] = regs->regs[0];
	arg[1] = regs->regs[1];
	arg[2] = regs->regs[2];
	if (!arch_is_native(regs) && regs->syscallno >= 0)
		return ARCH_OTHER_SYSCALL;
	return regs->syscallno;
}

#define ARCH_TIF_32BIT	  22  /* a bit of thread_info.flags */
#define ARCH_RT_SIGRETURN 139 /* the number is gone when it returns */

static __always_inline bool arch_in_compat(const struct task_struct *task)
{
	return task->thread_info.flags >> ARCH_TIF_32BIT & 1;
}

/* The call that returns, by its registers. */
static __always_inline long arch_returning_call(const struct pt_regs *regs)
{
	return regs->syscallno == -1 ? ARCH_RT_SIGRETURN : regs->syscallno;
}

/* The result takes the place of the first one. */
static __always_inline void arch_arguments(const struct pt_regs *regs, __u64 arg[6])
{
	arg[0] = regs->orig_x0;
	arg[1] = regs->regs[1];
	arg[2] = regs->regs[2];
	arg[3] = regs->regs[3];
	arg[4] = regs->regs[4];
	arg[5] = regs->regs[5];
}

static __always_inline void arch_compat_arguments(const struct pt_regs *regs, __u64 arg[6])
{
	arch_arguments(regs, arg);
}

/* The call that ends the task, if it is in one: exit, exit_group, and both of 32-bit programs. */
static __always_inline long arch_ending_call(const struct pt_regs *regs)
{
	long number = regs->syscallno;
	bool ends = arch_is_native(regs) ? number == 93 || number == 94
					 : number == 1 || number == 248;

	return ends ? number : -1;
}

/* What pthread_self() is found by. */
static __always_inline uint64_t arch_thread_pointer(const struct task_struct *task)
{
	return BPF_CORE_READ((const struct task_struct___arm64 *)task, thread.uw.tp_value);
}

/* glibc's description of a thread has nothing on this CPU that it could be known by. */
static __always_inline bool arch_is_thread_number(uint64_t address)
{
	(void)address;
	return false;
}

/* By DWARF number. */
static __always_inline void arch_dwarf_registers(const struct pt_regs *regs, uint64_t *ret)
{
#pragma unroll
	for (int i = 0; i < 31; i++)
		ret[i] = regs->regs[i];
	ret[ARCH_DWARF_SP] = regs->sp;
	ret[ARCH_DWARF_PC] = regs->pc;
}

/* In perf's order. */
static __always_inline void arch_perf_registers(const struct pt_regs *regs, __u64 *ret)
{
#pragma unroll
	for (int i = 0; i < 31; i++)
		ret[i] = regs->regs[i];
	ret[31] = regs->sp;
	ret[32] = regs->pc;
}

/* A context's registers can only be read one by one. */
static __always_inline void arch_copy_context(const bpf_user_pt_regs_t *regs, struct pt_regs *ret)
{
#pragma unroll
	for (int i = 0; i < 31; i++)
		ret->regs[i] = regs->regs[i];
	ret->sp = regs->sp;
	ret->pc = regs->pc;
	ret->pstate = regs->pstate;
	ret->orig_x0 = 0;
	ret->syscallno = -1;
	ret->unused = 0;
}

#endif
