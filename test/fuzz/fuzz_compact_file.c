/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with compact unwind tables. The input is a file, or a table's arrays and counts, which get
 * a right header so that the checks behind the hash are reached. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"
#include "unwind/compact/compact.h"

static void look(const void *data, size_t size, const struct build_id *id)
{
	struct compact *compact;
	struct err err = { 0 };

	if (compact_file_parse(data, size, id, &compact, &err))
		return;
	for (uint64_t i = 0; i < 3 * UNWIND_PAGE_BYTES; i += 5)
		(void)compact_rule(compact, compact->first + i, i & 1);
	compact_free(compact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct build_id id = { .len = 0 };
	struct compact compact = { 0 };
	struct buf file = { 0 };
	uint8_t *block;

	look(data, size, &id);
	if (size < 4)
		return 0;
	block = malloc(size);
	if (!block)
		return 0;
	memcpy(block, data, size);
	compact = (struct compact){ .page_count = data[0],
				    .sub_count = data[1],
				    .rule_count = data[2],
				    .block = block + 4,
				    .block_bytes = (size - 4) & ~(size_t)3 };
	if (8u * (data[0] + data[1] + data[2]) <= compact.block_bytes) {
		compact.row_count =
			(uint32_t)(compact.block_bytes / 4 - 2u * (data[0] + data[1] + data[2]));
		compact_file_write(&compact, &id, &file);
		look(file.data, file.len, &id);
	}
	free(block);
	buf_done(&file);
	return 0;
}
