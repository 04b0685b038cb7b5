/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of functions from their entries and exits, by thread: the stack at each exit, and the time
 * without that of called functions. */
#ifndef SESSION_CALL_TIMES_H
#define SESSION_CALL_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct call {
	uint64_t function, start_ns, children_ns;
	uint32_t depth;
};

struct call_thread {
	VEC(struct call) calls; /* the outermost first */
};

struct call_times {
	struct map by_tid; /* index + 1 */
	VEC(struct call_thread) threads;
	VEC(uint64_t) frame; /* of the last exit, leaf first */
};

/* depth: as the tracer counts it. Calls that are deeper were not seen to return, and end. */
void call_times_enter(struct call_times *times, uint64_t tid, const struct call *call);
/* function 0: the one of that depth. duration_ns UINT64_MAX: from the entry. False: the entry was
 * not seen. */
bool call_times_exit(struct call_times *times, uint64_t tid, const struct call *call,
		     uint64_t duration_ns, uint64_t *ret_self_ns);
void call_times_done(struct call_times *times);

#endif
