/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of /proc/kallsyms, and the packed table that the cache keeps. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/kernel/kallsyms_cache.h"

static void check_ranges(const struct kallsyms *kallsyms, bool sound)
{
	for (size_t i = 0; i < kallsyms->ranges.count; i++) {
		const struct range *range = &kallsyms->ranges.item[i];
		const struct range *found = kallsyms_find(kallsyms, range->start);

		if ((sound && found != range) ||
		    (found && strlen(kallsyms->text + found->name) > UINT32_MAX))
			__builtin_trap();
	}
}

static void unpack(const void *data, size_t len, bool sound)
{
	struct kallsyms kallsyms;

	if (kallsyms_unpack(data, len, &kallsyms)) {
		check_ranges(&kallsyms, sound);
		kallsyms_done(&kallsyms);
	} else if (sound) {
		__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(size + 1);
	struct err err = { 0 };
	struct kallsyms kallsyms;
	struct buf packed = { 0 };

	memcpy(text, data, size);
	text[size] = '\0';
	unpack(data, size, false);
	if (kallsyms_parse(text, size, &kallsyms, &err))
		return 0;
	check_ranges(&kallsyms, true);
	for (size_t i = 0; i < kallsyms.ranges.count; i++)
		if (!kallsyms.text[kallsyms.ranges.item[i].name])
			__builtin_trap();
	kallsyms_pack(&kallsyms, &packed);
	unpack(packed.data, packed.len, true);
	buf_done(&packed);
	kallsyms_done(&kallsyms);
	return 0;
}
