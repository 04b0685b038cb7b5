/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of every mangling. What matters is that hostile ones end soon and small. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "symbol/demangle.h"
#include "symbol/symbol_name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = mem_alloc(size + 1);

	if (size)
		memcpy(name, data, size);
	name[size] = '\0';
	free(demangle(name));
	free(symbol_name_present(name, "@plt", true));
	free(name);
	return 0;
}
