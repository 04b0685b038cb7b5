/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a Python process: the first byte chooses the version, the next 400 are what the
 * runtime's own description, and the rest is all of its memory; a code object begins it. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "symbol/python/python_code.h"

#define BASE 4096

struct fuzz_memory {
	struct python_memory memory; /* first */
	const uint8_t *data;
	size_t len;
};

static bool read_data(const struct python_memory *memory, uint64_t addr, void *to, size_t len)
{
	const struct fuzz_memory *self = (const struct fuzz_memory *)memory;

	if (addr < BASE || addr - BASE > self->len || len > self->len - (addr - BASE))
		return false;
	memcpy(to, self->data + (addr - BASE), len);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_memory memory = { .memory = { .read = read_data } };
	struct buf name = { 0 }, file = { 0 };
	struct python_layout layout;
	struct python_function function;
	struct err err = { 0 };

	if (size < 1 + PYTHON_SELF_DESCRIPTION)
		return 0;
	if (python_layout_get(PYTHON_OLDEST + data[0] % 8, data + 1, PYTHON_SELF_DESCRIPTION,
			      &layout, &err))
		return 0;
	memory.memory.layout = &layout;
	memory.data = data + 1 + PYTHON_SELF_DESCRIPTION;
	memory.len = size - 1 - PYTHON_SELF_DESCRIPTION;
	if (python_function_read(&memory.memory, BASE, &function, &name, &file)) {
		for (uint32_t i = 0; i < 4096; i += 17)
			(void)python_line(&function, i);
		python_function_done(&function);
	}
	buf_done(&name);
	buf_done(&file);
	return 0;
}
