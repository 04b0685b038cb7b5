/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the unwinder must know of the CPU. Constants come from <cpu>.h, the functions are in
 * <cpu>.c; meson picks the file. */
#ifndef UNWIND_ARCH_ARCH_H
#define UNWIND_ARCH_ARCH_H

#if defined(__x86_64__)
#include "unwind/arch/x86_64.h"
#else
#error "add src/unwind/arch/<cpu>.h and .c"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_registers;
struct unwind_rule;

/* Code around a pc, from the module's file: start ≤ at ≤ end. */
struct arch_code {
	const uint8_t *start, *at, *end;
};

/* perf's user registers (mask bit i ↔ next value) as DWARF registers. */
void arch_registers(uint64_t mask, const uint64_t *regs, struct unwind_registers *ret);
/* The stub a signal handler returns into, which the C library may leave without a table. */
bool arch_signal_stub(const struct arch_code *code, struct unwind_rule *ret);
/* A rule for an interrupted instruction without a table: PLT slots, prologues, epilogues. False =
 * unknown. */
bool arch_sniff(const struct arch_code *code, struct unwind_rule *ret);
/* A rule from a function's first instructions, code->start being the very first: how far pushes and
 * the like have moved the stack before code->at. False when they do not move it at all. */
bool arch_prologue(const struct arch_code *code, bool returns, struct unwind_rule *ret);
/* A return address into code that starts threads: nothing called it. */
bool arch_thread_start(const struct arch_code *code);
/* Go's runtime.goexit, which goroutines seem to be called from and are not. */
bool arch_goroutine_exit(const struct arch_code *code);
/* Behind the system call of glibc's clone() and clone3(), where new threads begin, too. */
bool arch_thread_begins(const struct arch_code *code);
/* The start of glibc's __start_context, which functions of makecontext() return to. */
bool arch_context_exit(const struct arch_code *code);
/* The return address by which C entered Go (crosscall2 of runtime/cgo). Its frame pointer points
 * beside the one that it saved. */
bool arch_go_entry(const struct arch_code *code, struct unwind_rule *ret);
/* Whether a system call instruction ends at code->at: a thread in the kernel seems to be there. */
bool arch_after_syscall(const struct arch_code *code);
/* Whether a call instruction ends at code->at. */
bool arch_after_call(const struct arch_code *code);
/* Where a direct call that ends there goes to, relative to code->at. */
bool arch_call_target(const struct arch_code *code, int64_t *relative);
/* Length of the padding instruction at code->at; 0 = something else stands there. */
size_t arch_padding(const struct arch_code *code);
/* The next code from code->at on for which the functions above know rules whatever a table says:
 * signal stubs and, in Go's programs, the end of goroutines and the way from C. [from, to) are
 * distances from code->start; code->at moves past it. False = no more. */
bool arch_next_spot(struct arch_code *code, bool is_go, uint64_t *from, uint64_t *to);
/* A CFA expression of PLT slots: pc-dependent offset; returns the threshold, 0 = is not one. */
unsigned arch_plt_threshold(const uint8_t *expression, size_t len);

#endif
