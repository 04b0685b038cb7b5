/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU-specific parts of the unwinder. Constants come from <cpu>.h, the functions are in <cpu>.c;
 * meson selects the file. */
#ifndef UNWIND_ARCH_ARCH_H
#define UNWIND_ARCH_ARCH_H

#if defined(__x86_64__)
#include "unwind/arch/x86_64.h"
#elif defined(__aarch64__)
#include "unwind/arch/aarch64.h"
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
/* Go's runtime.goexit: goroutines look as if it had called them. */
bool arch_goroutine_exit(const struct arch_code *code);
/* Go's runtime.morestack or runtime.mcall, which has left the goroutine's stack for the thread's:
 * the frames of its callers are on the other one. */
bool arch_go_switch(const struct arch_code *code);
/* True after the system call of glibc's clone() and clone3(), which is also where new threads
 * begin. */
bool arch_thread_begins(const struct arch_code *code);
/* What functions of makecontext() return to, the start of glibc's __start_context, and those of
 * boost's make_fcontext(): nothing called them. */
bool arch_context_exit(const struct arch_code *code);
/* The rule of the return address from C into Go (crosscall2 of runtime/cgo). Its frame pointer
 * points next to the saved one. */
bool arch_go_entry(const struct arch_code *code, struct unwind_rule *ret);
/* Whether a system call instruction ends at code->at: the pc of a thread in the kernel. */
bool arch_after_syscall(const struct arch_code *code);
/* Whether a call instruction ends at code->at. */
bool arch_after_call(const struct arch_code *code);
/* The target of a direct call that ends there, relative to code->at. */
bool arch_call_target(const struct arch_code *code, int64_t *relative);
/* Length of the padding instruction at code->at; 0: not padding. */
size_t arch_padding(const struct arch_code *code);
/* Finds the next code from code->at on for which the functions above have rules that override
 * tables: signal stubs and, in Go's programs, the end of goroutines and the transition from C.
 * [from, to) are distances from code->start; advances code->at. Returns false at the end. */
bool arch_next_spot(struct arch_code *code, bool is_go, uint64_t *from, uint64_t *to);
/* A CFA expression of PLT slots: pc-dependent offset; returns the threshold, 0 = is not one. */
unsigned arch_plt_threshold(const uint8_t *expression, size_t len);

#endif
