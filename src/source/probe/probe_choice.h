/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places to probe, found and checked: what the sources of probes attach to. Strings are borrowed.
 * What is counted has a number; several places may count for one. */
#ifndef SOURCE_PROBE_PROBE_CHOICE_H
#define SOURCE_PROBE_PROBE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct probe_place {
	uint32_t number;
	uint32_t binary;    /* index */
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* offset of a USDT probe's; 0 = none */
	bool has_exits;	    /* its returns are among the exits */
	bool shares_exits;  /* other functions come by them, too */
	uint64_t entry;	    /* of an exit: the offset of the place that it is of */
};

struct probe_tracepoint {
	uint32_t number;
	const char *category, *name;
};

struct probe_kernel_function {
	uint32_t number;
	const char *name;
};

/* How times of calls are summed up. */
struct probe_times_choice {
	bool by_function;
	uint64_t unit_ns;    /* 0 = 1 */
	uint64_t from, step; /* in units; step 0 = powers of two */
	/* Of the source slow_calls: stacks of so many calls are delivered, and at the end the sums,
	 * struct probe_times by number. */
	uint32_t slowest;
	void *ret_sums;
};

struct probe_choice {
	VEC(const char *) binaries; /* paths as this process sees them */
	VEC(struct probe_place) places;
	VEC(struct probe_tracepoint) tracepoints;
	VEC(struct probe_kernel_function) kernel; /* functions of it */
	VEC(const char *) names;		  /* by number */
	struct probe_times_choice times;
	/* Instructions at which functions end, where return addresses are left alone. */
	VEC(struct probe_place) exits;
	bool by_event; /* as kernels before 6.6 do: an event for each place */
};

/* Adds place `at` of another choice, with its exits, under a new number. The binaries of that one
 * are behind the first `binaries` here. */
void probe_choice_add(struct probe_choice *choice, const struct probe_choice *from, size_t at,
		      uint32_t number, uint32_t binaries);

#endif
