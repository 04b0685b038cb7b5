/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the source "probe_values" counts: values that fetch programs read at places of programs, or
 * at functions of the kernel and tracepoints. It delivers all that was counted so far, an array of
 * struct probe_value. */
#ifndef SOURCE_PROBE_PROBE_VALUE_CHOICE_H
#define SOURCE_PROBE_PROBE_VALUE_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/fetch.h"
#include "bpf/probe_values.h"
#include "source/probe/probe_choice.h"

struct probe_values {
	/* The number of a place is that of its program. */
	struct probe_choice entries, returns;
	const struct fetch_program *program;
	const struct probe_values_way *way; /* by the same number */
	size_t count;
};

struct probe_value {
	struct fetch_result result; /* number: of the collection */
	uint64_t count;
	uint64_t total; /* of a histogram: the sum of value[0] as it was */
};

#endif
