/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compressed records: the payloads of all of them together are one zstd stream, and the records
 * inside may begin in one payload and end in the next. */
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory_limit.h"
#include "format/perf_data/perf_data_private.h"

#define ROOM_BYTES     ((size_t)64 << 10)
#define DEFAULT_LIMIT  ((size_t)64 << 20)
#define SENSIBLE_LIMIT ((size_t)1 << 30)

struct unpacker {
	ZSTD_DStream *stream;
};

/* Hands over the whole records at the end of the unpacked bytes. */
static int take_records(struct perf_data *data, struct err *err)
{
	struct chunks *chunks = &data->unpacked;
	int failed = 0;

	while (!failed && !data->stopped) {
		const uint8_t *record = (uint8_t *)chunks->last->data + chunks->at;
		size_t have = chunks->last->len - chunks->at;
		size_t quick = perf_data_take_samples(data, record, have);
		struct perf_event_header header;

		if (quick) {
			chunks->at += quick;
			chunks->last->round = data->order.round;
			continue;
		}

		if (have < sizeof(header))
			break;
		header = perf_data_record_header(data, record);
		if (header.size < sizeof(header) || header.type == USER_RECORD_COMPRESSED ||
		    header.type == USER_RECORD_COMPRESSED2) {
			data->stats.bad_records++;
			data->stopped = true;
			perf_data_damage(data, "invalid record in compressed data");
			break;
		}
		if (have < header.size)
			break;
		chunks->at += header.size;
		failed = perf_data_take_record(data, record, header, err);
		if (header.type == USER_RECORD_ID_INDEX)
			perf_data_apply_facts(data, perf_data_blob(data, record + sizeof(header),
								   header.size - sizeof(header)));
	}
	return failed;
}

static void stop(struct perf_data *data, const char *why)
{
	data->stopped = true;
	data->stats.bad_records++;
	perf_data_damage(data, "compressed data: %s", why);
}

int perf_data_unpack(struct perf_data *data, const uint8_t *packed, size_t len, struct err *err)
{
	ZSTD_inBuffer in = { packed, len, 0 };
	size_t limit = data->unpack_limit, produced = 0;
	bool full = false;
	int failed = 0;

	/* One payload is one ring's content at most. */
	limit = !limit || limit > SENSIBLE_LIMIT ? DEFAULT_LIMIT : limit + ROOM_BYTES;
	if (!data->unpacker) {
		data->unpacker = mem_zalloc(sizeof(*data->unpacker));
		data->unpacker->stream = ZSTD_createDStream();
	}
	if (!data->unpacker->stream) {
		stop(data, "no memory");
		return 0;
	}
	data->stats.compressed_bytes += len;
	while (!failed && !data->stopped && (in.pos < in.size || full)) {
		ZSTD_outBuffer out = { 0 };
		size_t result;

		out.dst = chunks_room(&data->unpacked, ROOM_BYTES, &out.size);
		result = ZSTD_decompressStream(data->unpacker->stream, &out, &in);
		if (ZSTD_isError(result)) {
			if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
				memory_limit_reached();
			stop(data, ZSTD_getErrorName(result));
			break;
		}
		full = out.pos == out.size;
		produced += out.pos;
		data->unpacked.last->len += out.pos;
		data->stats.uncompressed_bytes += out.pos;
		if (produced > limit)
			stop(data, "larger than the recorder's rings");
		else
			failed = take_records(data, err);
	}
	return failed;
}

void perf_data_unpack_done(struct perf_data *data)
{
	if (data->unpacker)
		(void)ZSTD_freeDStream(data->unpacker->stream); /* NULL is fine, only frees */
	free(data->unpacker);
	data->unpacker = NULL;
}
