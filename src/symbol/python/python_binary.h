/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds a CPython runtime in a binary, a program or libpython: its version, the address of its
 * state and the code of its evaluation function. */
#ifndef SYMBOL_PYTHON_PYTHON_BINARY_H
#define SYMBOL_PYTHON_PYTHON_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/python/python_layout.h"

struct elf_file;
struct err;

/* Addresses as linked. */
struct python_binary {
	struct python_layout layout;
	uint64_t runtime;
	struct {
		uint64_t start, len; /* len 0 = none */
	} eval[2];
};

/* Whether a file of that name may hold a runtime. */
bool python_binary_likely(const char *path);
/* Returns -ENOENT without a runtime. `path` gives the version if the binary does not. */
int python_binary_find(const struct elf_file *elf, const char *path, struct python_binary *ret,
		       struct err *err);

#endif
