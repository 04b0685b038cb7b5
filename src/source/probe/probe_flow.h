/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a function's code leads: the instructions at which it returns, what it calls, and the
 * functions that it jumps to at its end. Reads untrusted bytes. */
#ifndef SOURCE_PROBE_PROBE_FLOW_H
#define SOURCE_PROBE_PROBE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct probe_code;

struct probe_jump {
	uint64_t address, target;
	bool conditional;
};

struct probe_flow {
	VEC(uint64_t) returns;	      /* addresses of return instructions */
	VEC(uint64_t) calls;	      /* targets of direct calls */
	VEC(struct probe_jump) jumps; /* direct ones out of the code */
	VEC(uint64_t) indirect;	      /* addresses of indirect jumps out of the code */
	VEC(uint64_t) doubtful;	      /* of indirect ones that may be through a table, too */
	bool calls_unknown;	      /* there are indirect calls */
	bool goes_on;		      /* the code goes on behind its end */
};

/* Of all parts of a function together; the list must be freed also after failures. False: an
 * instruction cannot be decoded. */
bool probe_flow_read(const struct probe_code *part, size_t count, struct probe_flow *ret);
void probe_flow_done(struct probe_flow *flow);

#endif
