/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a user stack ended where it did: enum, machine name and plain text from one list. Only ROOT
 * counts as complete (design.md promise 2). */
#ifndef EVENT_STOP_H
#define EVENT_STOP_H

#define STACK_STOPS(X)                                                               \
	X(NONE, "none", "no user stack was recorded")                                \
	X(ROOT, "root", "reached the start of the thread")                           \
	X(DEPTH, "depth", "longer than the frame limit")                             \
	X(NO_MAPPING, "no-mapping", "pc outside every executable mapping")           \
	X(NO_TABLE, "no-table", "module has no unwind table")                        \
	X(NO_RULE, "no-rule", "no unwind rule covers the pc")                        \
	X(BAD_CFA, "bad-cfa", "the frame address did not move up")                   \
	X(READ_FAULT, "read-fault", "stack memory was not recorded or not readable") \
	X(UNSUPPORTED, "unsupported", "unwind rule of a kind we do not evaluate")    \
	X(FP_LOST, "fp-lost", "the chain of frame pointers ended before the root")

enum stack_stop {
#define STACK_STOP_ENUM(id, name, text) STACK_STOP_##id,
	STACK_STOPS(STACK_STOP_ENUM)
#undef STACK_STOP_ENUM
		STACK_STOP_COUNT
};

const char *stack_stop_name(enum stack_stop stop); /* "root" */
const char *stack_stop_text(enum stack_stop stop); /* "reached the start of the thread" */

#endif
