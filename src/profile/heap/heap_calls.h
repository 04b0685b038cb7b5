/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every call of an allocator's functions, with probes at their entries and returns, as blocks of
 * heap.h: for programs that no library can be loaded into. */
#ifndef PROFILE_HEAP_CALLS_H
#define PROFILE_HEAP_CALLS_H

struct heap_summary;
struct profile;

/* X(name, values that are read at the entry, whether its result is read) */
#define HEAP_CALLS(X)                                        \
	X(MALLOC, "malloc", "arg1", true)                    \
	X(CALLOC, "calloc", "arg1 arg2", true)               \
	X(REALLOC, "realloc", "arg1 arg2", true)             \
	X(MEMALIGN, "memalign", "arg1 arg2", true)           \
	X(ALIGNED_ALLOC, "aligned_alloc", "arg1 arg2", true) \
	X(FREE, "free", "arg1", false)

enum heap_call {
#define X(id, name, values, returns) HEAP_CALL_##id,
	HEAP_CALLS(X)
#undef X
		HEAP_CALL_COUNT,
};

/* Of samples, in profile->values. */
enum heap_calls_value {
	HEAP_CALLS_FIRST,
	HEAP_CALLS_SECOND,
	HEAP_CALLS_RESULT, /* of a return */
};

/* The profile has PROFILE_KEEP_TIME and PROFILE_ADDR_IS_VALUES; events are "probe:FILE:malloc …",
 * "uretprobe:FILE:malloc …". Its samples become those of heap_sum_up(), with whole stacks. Calls
 * within another of these calls do not count. */
void heap_calls_sum_up(struct profile *profile, struct heap_summary *ret);

#endif
