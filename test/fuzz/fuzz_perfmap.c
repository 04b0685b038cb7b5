/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of /tmp/perf-PID.map. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "symbol/jit/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(size + 1);
	struct perfmap map;

	if (size)
		memcpy(text, data, size);
	perfmap_parse(text, size, &map);
	for (size_t i = 0; i < map.ranges.count; i++) {
		const struct range *range = &map.ranges.item[i];

		if (range_table_find(&map.ranges, range->end - 1) != range ||
		    !map.text[range->name])
			__builtin_trap();
	}
	perfmap_done(&map);
	return 0;
}
