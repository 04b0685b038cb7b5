/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See python_finder.h. */
#include "session/python/python_finder.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_file.h"
#include "session/python/python_apart.h"

int python_find(const struct module *module, uint64_t pgoff, struct python_found *ret)
{
	struct python_found found = { 0 };
	struct err ignored = { 0 }; /* most programs have no runtime */
	struct elf_file *elf;
	bool doubtful;
	int code = module_file_open(module, NULL, &elf, &doubtful, &ignored);

	if (code)
		return code;
	code = python_binary_find(elf, module->path, &found.binary, &ignored);
	if (!code && !elf_file_vaddr(elf, pgoff, &found.linked))
		code = -ENOENT;
	elf_file_close(elf);
	if (!code)
		*ret = found;
	return code;
}

struct near_memory {
	struct python_memory memory; /* first */
	const struct python_source *source;
};

static bool read_near(const struct python_memory *memory, uint64_t addr, void *to, size_t len)
{
	const struct python_source *source = ((const struct near_memory *)memory)->source;

	return source->read(source->pid, addr, to, len) == len;
}

bool python_read_here(const struct python_source *source, uint64_t code, struct python_read *ret)
{
	const struct near_memory near = { { .layout = source->layout, .read = read_near }, source };
	struct python_read read = { 0 };

	if (python_function_read(&near.memory, code, &read.function, &read.name, &read.file)) {
		*ret = read;
		return true;
	}
	python_read_done(&read);
	return false;
}
