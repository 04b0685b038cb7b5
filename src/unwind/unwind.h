/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks from registers and stack bytes: the .eh_frame walker with its per-module rule lookup.
 * Thread-safe after unwinder_new() except that each thread needs a struct unwind_cache of its own.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/stop.h"
#include "proc/proc.h"

struct unwinder;

#define UNWIND_MAX_FRAMES 1024

/* What a sample gives: user registers (perf's order for this arch, regs[i] for set bits of mask)
 * and stack bytes from the stack pointer upwards. */
struct unwind_input {
	const struct space *space;
	uint64_t mask;
	const uint64_t *regs;
	const uint8_t *stack;
	uint64_t stack_len;
	bool in_syscall; /* pc is a return address of a syscall, not an interrupted instruction */
};

struct unwind_result {
	size_t count; /* pcs written, leaf first; return addresses as found (not minus 1) */
	enum stack_stop stop;
	uint64_t stop_pc; /* pc at which the walk ended */
};

struct unwinder *unwinder_new(const char *symfs);
void unwinder_free(struct unwinder *unwinder);
/* pcs has room for UNWIND_MAX_FRAMES. */
void unwinder_walk(struct unwinder *unwinder, const struct unwind_input *input, uint64_t *pcs,
		   struct unwind_result *ret);

#endif
