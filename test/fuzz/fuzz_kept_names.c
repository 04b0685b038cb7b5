/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names kept in a recording. */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "proc/module.h"
#include "symbol/kept/kept_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct module module = { .kind = MODULE_FILE, .path = "/a", .ino = 1 };
	const struct kept_module *found;
	struct kept_names *names;
	struct err err = { 0 };
	struct symbol symbol;

	if (kept_names_parse(data, size, &names, &err))
		return 0;
	found = kept_names_find(names, &module);
	for (uint64_t offset = 0; found && offset < 64; offset++) {
		const struct kept_place *place = kept_module_place(found, offset);

		if (!place)
			continue;
		kept_module_symbol(found, place, offset, &symbol);
		if (!symbol.count || symbol.count > SYMBOL_MAX_FRAMES)
			__builtin_trap();
	}
	kept_names_free(names);
	return 0;
}
