/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What python_names.h needs to know of a binary that is mapped, and of code objects. A process with
 * privileges asks a child for both (session/record/finisher_child.h). */
#ifndef SESSION_PYTHON_PYTHON_FINDER_H
#define SESSION_PYTHON_PYTHON_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/python/python_binary.h"

struct module;
struct python_read;
struct python_source;

struct python_found {
	struct python_binary binary;
	uint64_t linked; /* the address of the mapped offset, as linked */
};

/* 0, -ENOTSUP for a runtime that is not known, or another error: there is none. */
int python_find(const struct module *module, uint64_t pgoff, struct python_found *ret);

/* The functions in memory, read here. */
bool python_read_here(const struct python_source *source, uint64_t code, struct python_read *ret);

/* Who does that, and takes code objects apart: python_function_read(). */
struct python_finder {
	int (*find)(void *context, const struct module *module, uint64_t pgoff,
		    struct python_found *ret);
	bool (*read)(void *context, const struct python_source *source, uint64_t code,
		     struct python_read *ret);
	void *context;
};

#endif
