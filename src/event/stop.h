/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a user stack ended where it did: enum, machine name and plain text from one list. Only ROOT
 * counts as complete (design.md promise 2).
 *
 * In a recording the reason stands at the end of the call chain, behind the last user address, as
 * PERF_CONTEXT_* markers, which other readers pass over: one PERF_CONTEXT_USER alone for ROOT; for
 * other reasons it is followed by their number in binary, highest digit first, PERF_CONTEXT_KERNEL
 * for 0 and PERF_CONTEXT_USER for 1. So the numbers are part of the format: add at the end only. */
#ifndef EVENT_STOP_H
#define EVENT_STOP_H

#include <stddef.h>
#include <stdint.h>

/* X(id, name, text, advice): the advice is what somebody who wants whole stacks can do. It stands
 * in `report --stacks` (view/report/report_stacks.c knows more in some cases); doc/unwinding.md has
 * a row for the name, without which nothing builds. */
#define STACK_STOPS(X)                                                                           \
	X(NONE, "none", "no user stack was recorded", "nothing to do")                           \
	X(ROOT, "root", "reached the start of the thread", "nothing to do")                      \
	X(DEPTH, "depth", "longer than the frame limit",                                         \
	  "deeper than the limit of frames: nothing to do but to recurse less")                  \
	X(NO_MAPPING, "no-mapping", "pc outside every executable mapping",                       \
	  "a return address outside all code, as after its unloading or on a damaged "           \
	  "stack: nothing to do")                                                                \
	X(NO_TABLE, "no-table", "module has no unwind table",                                    \
	  "built without unwind tables: install its debug package, or build it with "            \
	  "-fasynchronous-unwind-tables or -fno-omit-frame-pointer")                             \
	X(NO_RULE, "no-rule", "no unwind rule covers the pc",                                    \
	  "code that its unwind table leaves out: for C, install its debug package or "          \
	  "build it with -fasynchronous-unwind-tables; for assembly nothing to do")              \
	X(BAD_CFA, "bad-cfa", "the frame address did not move up",                               \
	  "its unwind table is wrong there: nothing to do but to tell its makers")               \
	X(READ_FAULT, "read-fault", "stack memory was not recorded or not readable",             \
	  "the stack goes on past what was recorded or could be read: record with "              \
	  "--call-graph auto, or copy more of it with --call-graph dwarf,65528")                 \
	X(UNSUPPORTED, "unsupported", "unwind rule of a kind we do not evaluate",                \
	  "its unwind table asks for a register that is not known any more: nothing to do")      \
	X(FP_LOST, "fp-lost", "the chain of frame pointers ended before the root",               \
	  "built without frame pointers: record with -g, as root or with CAP_BPF and "           \
	  "CAP_PERFMON, or with --call-graph dwarf, or build it with -fno-omit-frame-pointer")   \
	X(LBR, "lbr", "the CPU keeps only the innermost calls (--call-graph lbr)",               \
	  "the CPU's branch records hold the innermost calls only: record without --call-graph " \
	  "lbr")

enum stack_stop {
#define STACK_STOP_ENUM(id, name, text, advice) STACK_STOP_##id,
	STACK_STOPS(STACK_STOP_ENUM)
#undef STACK_STOP_ENUM
		STACK_STOP_COUNT
};

const char *stack_stop_name(enum stack_stop stop); /* "root" */
const char *stack_stop_text(enum stack_stop stop); /* "reached the start of the thread" */
const char *stack_stop_advice(enum stack_stop stop);

#define STACK_STOP_DIGITS 5
#define STACK_STOP_WORDS  (1 + STACK_STOP_DIGITS)

/* Writes the reason behind a chain's user part; how many words that took. None for NONE. */
size_t stack_stop_put(enum stack_stop stop, uint64_t *ret);
/* The reason at the end of a chain; NONE = nothing is said. */
enum stack_stop stack_stop_get(const uint64_t *chain, size_t len);

#endif
