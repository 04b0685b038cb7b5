/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An address space as the kernel part searches it, and whether a process has that space. */
#ifndef SESSION_ADDRESS_RANGES_H
#define SESSION_ADDRESS_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "bpf/walk/unwind_tables.h"

struct module;
struct address_space;

struct address_ranges {
	VEC(struct unwind_range) ranges;
	uint32_t flags; /* of struct unwind_space */
};

/* Called for every file: sets the number of its binary. Returns false if it has none. */
typedef bool space_binary_of(void *context, const struct module *module, uint32_t *ret);

/* The ranges of a space, sorted; equal neighbours are merged. Replaces the contents of ret. */
void address_ranges_make(const struct address_space *space, space_binary_of *binary_of,
			 void *context, struct address_ranges *ret);

/* Distinguishes successive images (exec) of a process. */
struct space_identity {
	uint64_t start_code; /* in the program's text; 0 = not to be seen */
	uint64_t stack_top;  /* mm->start_stack; 0 = not to be seen */
};

/* False when the process has ended. */
bool space_identity_read(uint32_t pid, struct space_identity *ret);

#endif
