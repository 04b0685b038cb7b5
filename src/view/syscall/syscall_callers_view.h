/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by caller as text, as JSON, and as a profile for a flame graph. Pure functions. */
#ifndef VIEW_SYSCALL_CALLERS_VIEW_H
#define VIEW_SYSCALL_CALLERS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/syscall_callers.h"

struct buf;

struct syscall_callers_view {
	const struct profile *profile; /* that the stacks are in */
	const struct syscall_callers *callers;
	uint64_t duration_ns;
	uint64_t lost;		  /* calls that found no room */
	size_t rows;		  /* of the text; 0 = all */
	const char *const *words; /* of the command line, for JSON */
	size_t word_count;
};

void syscall_callers_text(const struct syscall_callers_view *view, struct buf *out);
void syscall_callers_json(const struct syscall_callers_view *view, struct buf *out);
/* On top of each stack "[syscall read]", in modules that are states (view/state_kind.h); weights
 * are ns. The caller's. */
struct profile *syscall_callers_profile(const struct syscall_callers_view *view, bool idle);

#endif
