/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A store's files: the first bytes are the dictionary (two bytes: its length), the rest samples.
 * Their hashes are put right, so that what is behind them is reached. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "profile/profile.h"
#include "store/segment/bytes.h"
#include "store/segment/chunk.h"
#include "store/segment/part_view.h"
#include "store/segment/segment_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct store_query query = { .to_ns = UINT64_MAX, .viewer = STORE_EVERYBODY };
	struct bytes dictionary, samples;
	struct part_view view;
	uint8_t *copy;
	size_t len;

	if (size < 2)
		return 0;
	copy = mem_alloc(size);
	memcpy(copy, data, size);
	len = copy[0] | (size_t)copy[1] << 8;
	len = len > size - 2 ? size - 2 : len;
	chunk_repair(copy + 2, len);
	chunk_repair(copy + 2 + len, size - 2 - len);
	dictionary = (struct bytes){ copy + 2, copy + 2 + len, false };
	samples = (struct bytes){ dictionary.end, copy + size, false };
	for (unsigned keep = 0; keep <= PROFILE_KEEP_TIME; keep += PROFILE_KEEP_TIME) {
		struct profile *profile = profile_new(keep);

		part_view_of_bytes(&view, &dictionary, &samples);
		segment_query_part(&view, &query, profile);
		part_view_close(&view);
		profile_free(profile);
		query.viewer = 1000;
	}
	free(copy);
	return 0;
}
