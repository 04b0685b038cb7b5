/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of calls that come one by one, as the kernel part makes them (event/syscall.h). How much of
 * a call was on a CPU is not known. */
#ifndef SESSION_TRACE_SUMS_H
#define SESSION_TRACE_SUMS_H

#include "base/map.h"
#include "base/vec.h"
#include "profile/syscall_sums.h"

struct trace_sums {
	VEC(struct syscall_thread) thread; /* by number - 1 */
	VEC(struct syscall_sum) sum;
	VEC(struct syscall_error) error;
	struct map by_tid, by_call, by_error; /* index + 1 */
	uint64_t start_ns, end_ns;
};

void trace_sums_add(struct trace_sums *sums, const struct syscall_line *line);
/* *ret is to be freed with syscall_sums_done(). */
void trace_sums_end(const struct trace_sums *sums, struct syscall_sums *ret);
void trace_sums_done(struct trace_sums *sums);

#endif
