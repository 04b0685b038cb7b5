/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dynamic linker's list of libraries. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proc/library_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct library_cache cache;
	const char *path;
	uint32_t at = 0;

	if (!library_cache_parse(data, size, &cache))
		return 0;
	while ((path = library_cache_next(&cache, "c", &at)))
		if (strlen(path) > size)
			abort();
	return 0;
}
