/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kept names among the records (perf_data_write.h has the format): a file has them at the end of
 * its data, where the last record tells how far back they begin; a stream at its beginning. */
#include "format/perf_data/perf_data_private.h"
#include "format/perf_data/perf_data_write.h"

#define NAMES_LIMIT ((size_t)1 << 30)

bool perf_data_is_names(struct blob body)
{
	static const size_t len = sizeof(PERF_DATA_NAMES_MAGIC) - 1;

	return blob_u64(&body) == 0 && blob_left(&body) >= len &&
	       (memcmp(body.at, PERF_DATA_NAMES_MAGIC, len) == 0 ||
		memcmp(body.at, PERF_DATA_NAMES_END_MAGIC, len) == 0);
}

/* A piece, or what stands at the end: the number behind the magic, and the rest. */
static bool take_piece(const char *magic, struct blob *body, uint32_t *ret)
{
	const uint8_t *word;

	if (blob_u64(body) != 0)
		return false;
	word = blob_bytes(body, sizeof(PERF_DATA_NAMES_MAGIC) - 1);
	*ret = blob_u32(body);
	return !body->failed && memcmp(word, magic, sizeof(PERF_DATA_NAMES_MAGIC) - 1) == 0;
}

void perf_data_take_names(struct perf_data *data, struct blob body)
{
	uint32_t left;
	size_t len;

	if (data->feature[PERF_FEATURE_KEPT_NAMES].data ||
	    !take_piece(PERF_DATA_NAMES_MAGIC, &body, &left))
		return;
	len = blob_left(&body) < left ? blob_left(&body) : left;
	data->names.limit = NAMES_LIMIT;
	if (buf_append(&data->names, body.at, len))
		return;
	if (len == left && data->names.len)
		perf_data_take_feature(data, PERF_FEATURE_KEPT_NAMES,
				       (const uint8_t *)data->names.data, data->names.len);
}

void perf_data_find_names(struct perf_data *data, const uint8_t *begin, const uint8_t *end)
{
	const size_t size = PERF_DATA_NAMES_PREFIX;
	struct perf_event_header header;
	struct blob body;
	uint32_t back;

	if ((size_t)(end - begin) < size)
		return;
	end -= size;
	header = perf_data_record_header(data, end);
	body = perf_data_blob(data, end + sizeof(header), size - sizeof(header));
	if (header.type != USER_RECORD_ID_INDEX || header.size != size ||
	    !take_piece(PERF_DATA_NAMES_END_MAGIC, &body, &back) || back > (size_t)(end - begin))
		return;
	for (const uint8_t *at = end - back; (size_t)(end - at) >= size; at += header.size) {
		header = perf_data_record_header(data, at);
		if (header.type != USER_RECORD_ID_INDEX || header.size < size ||
		    header.size > (size_t)(end - at))
			return;
		perf_data_take_names(data, perf_data_blob(data, at + sizeof(header),
							  header.size - sizeof(header)));
	}
}

bool perf_data_has_names(const uint8_t *record, size_t len)
{
	const struct blob body = { .at = record + sizeof(struct perf_event_header),
				   .end = record + len };

	return len > sizeof(struct perf_event_header) && perf_data_is_names(body);
}
