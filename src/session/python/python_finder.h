/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What python_names.h needs to know of a binary that is mapped. It reads the binary: a process with
 * privileges asks a child (session/record/finisher_child.h). */
#ifndef SESSION_PYTHON_PYTHON_FINDER_H
#define SESSION_PYTHON_PYTHON_FINDER_H

#include <stdint.h>

#include "symbol/python/python_binary.h"

struct module;

struct python_found {
	struct python_binary binary;
	uint64_t linked; /* the address of the mapped offset, as linked */
};

/* 0, -ENOTSUP for a runtime that is not known, or another error: there is none. */
int python_find(const struct module *module, uint64_t pgoff, struct python_found *ret);

/* Who does that. */
struct python_finder {
	int (*find)(void *context, const struct module *module, uint64_t pgoff,
		    struct python_found *ret);
	void *context;
};

#endif
