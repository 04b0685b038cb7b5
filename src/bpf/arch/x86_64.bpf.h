/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64, the kernel part: user registers of an interrupted task. */
#ifndef BPF_ARCH_X86_64_H
#define BPF_ARCH_X86_64_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/arch/registers.h"
#include "bpf/kernel.h"

#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#define ARCH_DWARF_REGS	   17
#define ARCH_USER_CS	   0x33	       /* 64-bit code */
#define ARCH_THREAD_NUMBER 0x2d0       /* glibc: offsetof(struct pthread, tid) */
#define ARCH_STACK_BYTES   (16u << 10) /* THREAD_SIZE; without bpf_task_pt_regs() */

/* Clobbered by the system call instruction: rcx and r11. */
#define ARCH_SYSCALL_CLOBBERS (1u << 2 | 1u << 11)
#define ARCH_FAULT_PRESENT    1u /* error code of a page fault: there is a page */

static __always_inline bool arch_in_user(const bpf_user_pt_regs_t *regs)
{
	return regs->cs & 3;
}

/* At the first instruction of a function: where it will return to. */
static __always_inline __u64 arch_return_address(const bpf_user_pt_regs_t *regs)
{
	__u64 address = 0;

	(void)bpf_probe_read_user(&address, sizeof(address), (const void *)regs->rsp);
	return address;
}

static __always_inline bool arch_is_native(const struct pt_regs *regs)
{
	return (regs->cs & 0xffff) == ARCH_USER_CS;
}

/* The instruction leaves the pc behind it in rcx. On the way out of a system call the registers can
 * become those of a signal handler that is about to begin. */
static __always_inline bool arch_in_syscall(const struct pt_regs *regs)
{
	return (long)regs->orig_rax >= 0 && regs->rcx == regs->rip;
}

#define ARCH_OTHER_SYSCALL (1 << 20) /* of a 32-bit program, which has other numbers */

/* The call a task is in: its number, negative = none, and its first arguments. */
static __always_inline long arch_syscall(const struct pt_regs *regs, uint64_t arg[3])
{
	arg[0] = regs->rdi;
	arg[1] = regs->rsi;
	arg[2] = regs->rdx;
	if (!arch_is_native(regs) && (long)regs->orig_rax >= 0)
		return ARCH_OTHER_SYSCALL;
	return (long)regs->orig_rax;
}

#define ARCH_TS_COMPAT	  2  /* thread_info.status: in a call of the 32-bit kind */
#define ARCH_RT_SIGRETURN 15 /* restores the registers, and with them the number */

static __always_inline bool arch_in_compat(const struct task_struct *task)
{
	return task->thread_info.status & ARCH_TS_COMPAT;
}

/* The call that returns, by its registers. */
static __always_inline long arch_returning_call(const struct pt_regs *regs)
{
	long number = (long)regs->orig_rax;

	return number == -1 ? ARCH_RT_SIGRETURN : number;
}

static __always_inline void arch_arguments(const struct pt_regs *regs, __u64 arg[6])
{
	arg[0] = regs->rdi;
	arg[1] = regs->rsi;
	arg[2] = regs->rdx;
	arg[3] = regs->r10;
	arg[4] = regs->r8;
	arg[5] = regs->r9;
}

static __always_inline void arch_compat_arguments(const struct pt_regs *regs, __u64 arg[6])
{
	arg[0] = regs->rbx;
	arg[1] = regs->rcx;
	arg[2] = regs->rdx;
	arg[3] = regs->rsi;
	arg[4] = regs->rdi;
	arg[5] = regs->rbp;
}

/* The call that ends the task, if it is in one: exit, exit_group, and both of 32-bit programs. */
static __always_inline long arch_ending_call(const struct pt_regs *regs)
{
	long number = (long)regs->orig_rax;
	bool ends = arch_is_native(regs) ? number == 60 || number == 231
					 : number == 1 || number == 252;

	return ends ? number : -1;
}

/* The value of pthread_self(). */
static __always_inline uint64_t arch_thread_pointer(const struct task_struct *task)
{
	return BPF_CORE_READ(task, thread.fsbase);
}

/* glibc's description of a thread has its own address as the first word. */
static __always_inline bool arch_is_thread_number(uint64_t address)
{
	uint64_t self = address - ARCH_THREAD_NUMBER, word;

	return !bpf_probe_read_user(&word, sizeof(word), (void *)self) && word == self;
}

/* By DWARF number. */
static __always_inline void arch_dwarf_registers(const struct pt_regs *regs, uint64_t *ret)
{
	ret[0] = regs->rax;
	ret[1] = regs->rdx;
	ret[2] = regs->rcx;
	ret[3] = regs->rbx;
	ret[4] = regs->rsi;
	ret[5] = regs->rdi;
	ret[6] = regs->rbp;
	ret[7] = regs->rsp;
	ret[8] = regs->r8;
	ret[9] = regs->r9;
	ret[10] = regs->r10;
	ret[11] = regs->r11;
	ret[12] = regs->r12;
	ret[13] = regs->r13;
	ret[14] = regs->r14;
	ret[15] = regs->r15;
	ret[16] = regs->rip;
}

/* In perf's order, without the segment registers that the kernel does not save. */
static __always_inline void arch_perf_registers(const struct pt_regs *regs, __u64 *ret)
{
	ret[0] = regs->rax;
	ret[1] = regs->rbx;
	ret[2] = regs->rcx;
	ret[3] = regs->rdx;
	ret[4] = regs->rsi;
	ret[5] = regs->rdi;
	ret[6] = regs->rbp;
	ret[7] = regs->rsp;
	ret[8] = regs->rip;
	ret[9] = regs->eflags;
	ret[10] = regs->cs;
	ret[11] = regs->ss;
	ret[12] = regs->r8;
	ret[13] = regs->r9;
	ret[14] = regs->r10;
	ret[15] = regs->r11;
	ret[16] = regs->r12;
	ret[17] = regs->r13;
	ret[18] = regs->r14;
	ret[19] = regs->r15;
}

/* A context's registers can only be read one by one. */
static __always_inline void arch_copy_context(const bpf_user_pt_regs_t *regs, struct pt_regs *ret)
{
	ret->r15 = regs->r15;
	ret->r14 = regs->r14;
	ret->r13 = regs->r13;
	ret->r12 = regs->r12;
	ret->rbp = regs->rbp;
	ret->rbx = regs->rbx;
	ret->r11 = regs->r11;
	ret->r10 = regs->r10;
	ret->r9 = regs->r9;
	ret->r8 = regs->r8;
	ret->rax = regs->rax;
	ret->rcx = regs->rcx;
	ret->rdx = regs->rdx;
	ret->rsi = regs->rsi;
	ret->rdi = regs->rdi;
	ret->orig_rax = -1;
	ret->rip = regs->rip;
	ret->cs = regs->cs;
	ret->eflags = regs->eflags;
	ret->rsp = regs->rsp;
	ret->ss = regs->ss;
}

#endif
