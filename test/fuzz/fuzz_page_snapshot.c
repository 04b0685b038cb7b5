/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots of a process's pages: the texts of smaps and status, and ranges of pages. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "event/page_map.h"
#include "proc/page_snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = mem_alloc(size); /* exactly: nothing may look past the end */
	struct page_map map;
	struct err err = { 0 };

	memcpy(bytes, data, size);
	(void)page_snapshot_parse(bytes, size, &map, &err);
	page_map_done(&map);
	free(bytes);
	return 0;
}
