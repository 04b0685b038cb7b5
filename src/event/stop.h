/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a user stack ended: one list gives enum, name and text. Only ROOT counts as complete.
 *
 * A recording stores the reason at the end of the call chain, after the last user address, as
 * PERF_CONTEXT_* markers, which other readers skip: a single PERF_CONTEXT_USER for ROOT; for other
 * reasons their number in binary follows, most significant bit first, PERF_CONTEXT_KERNEL for 0 and
 * PERF_CONTEXT_USER for 1. That may follow the kernel's frames, when there is not even one address
 * of the user's. The numbers are part of the format: append only. */
#ifndef EVENT_STOP_H
#define EVENT_STOP_H

#include <stddef.h>
#include <stdint.h>

/* X(id, name, text, advice): the advice says how to get complete stacks; `report --stacks` shows
 * it, unless view/report/report_stacks.c has a more specific one. doc/unwinding.md must have a row
 * for each name, or the build fails. */
#define STACK_STOPS(X)                                                                             \
	X(NONE, "none", "no user stack was recorded", "no fix needed")                             \
	X(ROOT, "root", "reached the start of the thread", "no fix needed")                        \
	X(DEPTH, "depth", "longer than the frame limit",                                           \
	  "no fix: the recursion is deeper than the frame limit")                                  \
	X(NO_MAPPING, "no-mapping", "pc outside every executable mapping",                         \
	  "no fix: a return address points outside all code; its code was unmapped, or the stack " \
	  "is damaged")                                                                            \
	X(NO_TABLE, "no-table", "module has no unwind table",                                      \
	  "no unwind table: install the debug package, or build with "                             \
	  "-fasynchronous-unwind-tables or -fno-omit-frame-pointer")                               \
	X(NO_RULE, "no-rule", "no unwind rule covers the pc",                                      \
	  "the unwind table does not cover this code: for C, install the debug package or build "  \
	  "with -fasynchronous-unwind-tables; no fix for assembly")                                \
	X(BAD_CFA, "bad-cfa", "the frame address did not move up",                                 \
	  "the unwind table is wrong here: report a bug to the vendor of the binary")              \
	X(READ_FAULT, "read-fault", "stack memory was not recorded or not readable",               \
	  "the stack continues beyond the recorded or readable bytes: record with --call-graph "   \
	  "auto, or copy more with --call-graph dwarf,65528")                                      \
	X(UNSUPPORTED, "unsupported", "unsupported kind of unwind rule",                           \
	  "no fix: the unwind table needs a register with an unknown value")                       \
	X(FP_LOST, "fp-lost", "the chain of frame pointers ended before the root",                 \
	  "built without frame pointers: record with -g, as root or with CAP_BPF and "             \
	  "CAP_PERFMON, or with --call-graph dwarf, or build with -fno-omit-frame-pointer")        \
	X(LBR, "lbr", "the CPU keeps only the innermost calls (--call-graph lbr)",                 \
	  "the CPU's branch records contain only the innermost calls: record without "             \
	  "--call-graph lbr")                                                                      \
	X(SWITCHED, "switched", "the callers are on another stack, which the runtime left",        \
	  "no fix: Go's runtime works on the thread's own stack (a goroutine's stack grows, or "   \
	  "the scheduler runs), and the goroutine's frames are not read")                          \
	X(BEYOND_COPY, "beyond-copy", "the stack goes on beyond the 64 KiB that can be copied",    \
	  "a function with very large local variables, or deep recursion: only the kernel walks "  \
	  "such stacks; record with --call-graph auto, as root or with CAP_BPF and CAP_PERFMON")   \
	X(NOT_TAKEN, "not-taken",                                                                  \
	  "the kernel part did not walk the stack: no room, or an interrupt",                      \
	  "events come faster than their stacks are read, or in an interrupt: fewer events, or "   \
	  "--call-graph fp")

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

/* Writes the markers for `stop` to `ret` (room for STACK_STOP_WORDS); returns their number, 0 for
 * NONE. */
size_t stack_stop_put(enum stack_stop stop, uint64_t *ret);
/* Returns the reason at the end of a chain, or NONE if it has no markers. */
enum stack_stop stack_stop_get(const uint64_t *chain, size_t len);

#endif
