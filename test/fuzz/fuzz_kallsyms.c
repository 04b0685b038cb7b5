/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of /proc/kallsyms. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "symbol/kernel/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(size + 1);
	struct err err = { 0 };
	struct kallsyms kallsyms;

	memcpy(text, data, size);
	text[size] = '\0';
	if (kallsyms_parse(text, size, &kallsyms, &err))
		return 0;
	for (size_t i = 0; i < kallsyms.ranges.count; i++) {
		const struct range *range = &kallsyms.ranges.item[i];

		if (range_table_find(&kallsyms.ranges, range->start) != range ||
		    !kallsyms.text[range->name])
			__builtin_trap();
	}
	kallsyms_done(&kallsyms);
	return 0;
}
