/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading Cupel's own facts out of the ID_INDEX records that carry them (perf_data_write.h). */
#include <stdlib.h>
#include <string.h>

#include "format/perf_data_private.h"
#include "format/perf_data_write.h"

static void apply_line(struct perf_data_stats *stats, const char *key, uint64_t value)
{
	if (strcmp(key, "self_cpu_ns") == 0)
		stats->self_cpu_ns = value;
	else if (strcmp(key, "self_peak_rss_bytes") == 0)
		stats->self_peak_rss_bytes = value;
}

void perf_data_apply_facts(struct perf_data *data, struct blob body)
{
	const size_t magic_len = strlen(PERF_DATA_FACTS_MAGIC);
	uint64_t entries = blob_u64(&body);
	const uint8_t *magic = blob_bytes(&body, magic_len);

	if (entries || !magic || memcmp(magic, PERF_DATA_FACTS_MAGIC, magic_len) != 0)
		return; /* somebody else's index */
	while (blob_left(&body) && *body.at) {
		const uint8_t *end = memchr(body.at, '\n', blob_left(&body));
		const uint8_t *space;
		char key[32], value[32];

		if (!end)
			return;
		space = memchr(body.at, ' ', (size_t)(end - body.at));
		if (space && space - body.at < 32 && end - space < 32) {
			memcpy(key, body.at, (size_t)(space - body.at));
			key[space - body.at] = '\0';
			memcpy(value, space + 1, (size_t)(end - space - 1));
			value[end - space - 1] = '\0';
			apply_line(&data->stats, key, strtoull(value, NULL, 10));
		}
		body.at = end + 1;
	}
}
