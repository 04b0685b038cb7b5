/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks from registers and stack bytes: the .eh_frame walker with its per-module rule lookup.
 * One unwinder serves many threads; each thread has its own struct unwind_cache. Modules are opened
 * at the first pc that needs them. */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/stop.h"
#include "proc/proc.h"

struct unwinder;
struct unwind_cache;

#define UNWIND_MAX_FRAMES 1024

/* The data of a sample: user registers (perf's order for this arch, regs[i] for set bits of mask)
 * and stack bytes from the stack pointer upwards. The space must not change during the walk. */
struct unwind_input {
	const struct address_space *space;
	uint64_t mask;
	const uint64_t *regs;
	const uint8_t *stack; /* from so many bytes above the stack pointer on */
	uint64_t stack_skip;
	uint64_t stack_len;
	bool in_syscall; /* pc is a return address of a syscall, not an interrupted instruction */
};

struct unwind_result {
	size_t count; /* pcs written, leaf first; return addresses as found (not minus 1) */
	enum stack_stop stop;
	uint64_t stop_pc; /* pc of the end of the walk */
};

/* symfs: prefix of all files, "" or NULL = none. */
struct unwinder *unwinder_new(const char *symfs);
void unwinder_free(struct unwinder *unwinder); /* NULL is fine; caches may outlive it unused */
/* Releases the pages of files read so far; they come back when they are needed. */
void unwinder_forget(struct unwinder *unwinder);

/* Rules already found, for one thread at a time and one unwinder. About 1 MB. */
struct unwind_cache *unwind_cache_new(void);
void unwind_cache_free(struct unwind_cache *cache); /* NULL is fine */

/* pcs has room for UNWIND_MAX_FRAMES. Thread-safe for distinct caches. */
void unwinder_walk(struct unwinder *unwinder, struct unwind_cache *cache,
		   const struct unwind_input *input, uint64_t *pcs, struct unwind_result *ret);

#endif
