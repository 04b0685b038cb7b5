/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of smaps. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "proc/referenced_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = mem_alloc(size); /* exactly: nothing may look past the end */
	struct referenced_map map;

	memcpy(bytes, data, size);
	referenced_map_parse(bytes, size, &map);
	referenced_map_done(&map);
	free(bytes);
	return 0;
}
