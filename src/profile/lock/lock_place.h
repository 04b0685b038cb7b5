/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the functions of a stack say about a wait for a lock. */
#ifndef PROFILE_LOCK_LOCK_PLACE_H
#define PROFILE_LOCK_LOCK_PLACE_H

#include <stdbool.h>

#include "profile/profile.h"

/* The innermost node of the stack that is no part of a lock's own code; the empty stack if all
 * are. */
stack_id lock_place(const struct profile *profile, stack_id stack);
/* Without the frames of tracing on top. */
stack_id lock_trim(const struct profile *profile, stack_id stack);
/* The kind that a runtime's functions tell, "Rust mutex", or NULL. */
const char *lock_runtime_kind(const struct profile *profile, stack_id stack);
/* Whether such functions say that it is a lock, not a condition. */
bool lock_runtime_is_lock(const struct profile *profile, stack_id stack);
/* perf's words for a lock of the kernel: "mutex", "rwsem:R". */
const char *lock_kernel_kind(uint32_t flags);

#endif
