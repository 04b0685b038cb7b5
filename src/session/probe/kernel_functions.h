/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the kernel that can be probed, by name; and where they cannot be, the tracepoints
 * that say the same. */
#ifndef SESSION_PROBE_KERNEL_FUNCTIONS_H
#define SESSION_PROBE_KERNEL_FUNCTIONS_H

#include <stddef.h>

#include "base/vec.h"

struct arena;
struct buf;
struct err;

struct kernel_functions {
	VEC(const char *) item; /* in the arena, sorted, each once */
};

/* Those that match a name or glob. Fails with the nearest names, or with why this kernel or user
 * cannot probe it. The list must be freed also after failures. */
int kernel_functions_find(const char *glob, struct arena *arena, struct kernel_functions *ret,
			  struct err *err);
/* The same of a list, as in available_filter_functions: a function a line, perhaps with its module
 * behind a blank. */
int kernel_functions_match(char *text, const char *glob, struct arena *arena,
			   struct kernel_functions *ret, struct err *err);
void kernel_functions_done(struct kernel_functions *functions);

/* Appends "t:syscalls:sys_enter_read": the tracepoints nearest to a function, or to functions of a
 * glob; nothing if none is known. */
void kernel_functions_put_tracepoints(const char *glob, struct buf *ret);

#endif
