/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jitdump files. */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "symbol/jit/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct jitdump dump;
	uint32_t line;

	if (jitdump_parse(data, size, &dump, &err))
		return 0;
	for (size_t i = 0; i < dump.ranges.count; i++) {
		const struct range *range = &dump.ranges.item[i];

		if (range_table_find(&dump.ranges, range->start) != range)
			__builtin_trap();
		(void)jitdump_line(&dump, range, range->start, &line); /* any answer will do */
	}
	jitdump_done(&dump);
	return 0;
}
