/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contents of a Python code object: the function's name and file, and the line of an
 * instruction. Read from the memory of an untrusted process, so every size has a limit. */
#ifndef SYMBOL_PYTHON_PYTHON_CODE_H
#define SYMBOL_PYTHON_PYTHON_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/python/python_layout.h"

struct buf;

/* Of a process, or an image of it. */
struct python_memory {
	const struct python_layout *layout;
	bool (*read)(const struct python_memory *memory, uint64_t addr, void *to, size_t len);
	uint64_t id; /* for read() */
};

/* Distinguishes a code object from a later one at the same address. */
struct python_identity {
	uint64_t name, file, lines; /* addresses of objects */
	int32_t first_line;
};

/* Instructions up to `end`, counted in units of two bytes, are of a line; 0 = of none. */
struct python_row {
	uint32_t end, line;
};

struct python_function {
	struct python_identity identity;
	struct python_row *row; /* in order of `end`, owned */
	size_t row_count;
};

bool python_identity_read(const struct python_memory *memory, uint64_t code,
			  struct python_identity *ret);
bool python_identity_equal(const struct python_identity *a, const struct python_identity *b);

/* Appends to name (qualified where Python keeps that) and file, as UTF-8. False: not readable, or
 * no code object. */
bool python_function_read(const struct python_memory *memory, uint64_t code,
			  struct python_function *ret, struct buf *name, struct buf *file);
void python_function_done(struct python_function *function);

/* The line of an instruction, counted in units of two bytes; 0 = not known. */
uint32_t python_line(const struct python_function *function, uint32_t instr);

#endif
