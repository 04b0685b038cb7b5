/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds records in sequence, in a map or a stream, and handles those about the recording itself.
 * Reading ends at a damaged record, unless a later round can be found. */
#include <errno.h>

#include "base/err.h"
#include "format/input.h"
#include "format/perf_data/perf_data_private.h"

#define READ_BYTES	   ((size_t)256 << 10)
#define TRACING_DATA_LIMIT ((size_t)256 << 20)

static const uint8_t *look_in_stream(struct perf_data *data, size_t count)
{
	struct chunks *chunks = &data->stream;

	while (!chunks->last || chunks->last->len - chunks->at < count) {
		size_t have = chunks->last ? chunks->last->len - chunks->at : 0, room;
		/* a wrong length costs no more memory than there are bytes */
		size_t most = have > READ_BYTES ? have : READ_BYTES;
		size_t least = count - have < most ? count - have : most;
		uint8_t *place = chunks_room(chunks, least, &room);
		ssize_t n = input_read(data->input, place, room < READ_BYTES ? room : READ_BYTES);

		if (n <= 0)
			return NULL;
		chunks->last->len += (size_t)n;
	}
	return (const uint8_t *)chunks->last->data + chunks->at;
}

/* The next `count` bytes in one piece, not consumed; NULL when there are fewer. */
static inline const uint8_t *look(struct perf_data *data, size_t count)
{
	if (data->map)
		return count <= (size_t)(data->end - data->at) ? data->at : NULL;
	return look_in_stream(data, count);
}

/* Remaining bytes that are not a whole record. */
static size_t leftover(const struct perf_data *data)
{
	if (data->map)
		return (size_t)(data->end - data->at);
	return data->stream.last ? data->stream.last->len - data->stream.at : 0;
}

static void consume(struct perf_data *data, size_t count)
{
	if (data->map)
		data->at += count;
	else
		data->stream.at += count;
}

/* Skips a payload that follows a record. */
static bool skip_payload(struct perf_data *data, uint64_t count)
{
	while (count) {
		size_t step = count < READ_BYTES ? (size_t)count : READ_BYTES;

		if (data->map && count <= leftover(data))
			step = (size_t)count;
		if (!look(data, step))
			return false;
		consume(data, step);
		count -= step;
	}
	return true;
}

/* A copy that lives as long as the recording, unless it lies in the map already. */
static const uint8_t *keep(struct perf_data *data, const uint8_t *bytes, size_t len)
{
	return data->map ? bytes
			 : (const uint8_t *)arena_strndup(&data->arena, (const char *)bytes, len);
}

/* The payload follows the record, padded to 8. From a stream it is read in steps, because its
 * length is not trusted. */
static bool take_tracing_data(struct perf_data *data, struct blob body)
{
	uint32_t len = blob_u32(&body);
	const uint8_t *payload = data->map ? look(data, len) : NULL;

	if (body.failed || (data->map && !payload))
		return false;
	data->tracing_data.limit = TRACING_DATA_LIMIT;
	buf_clear(&data->tracing_data);
	for (size_t left = len; !data->map && left;) {
		size_t step = left < READ_BYTES ? left : READ_BYTES;
		const uint8_t *piece = look(data, step);

		if (!piece || buf_append(&data->tracing_data, piece, step))
			return false;
		consume(data, step);
		left -= step;
	}
	if (data->map)
		consume(data, len);
	else
		payload = (const uint8_t *)data->tracing_data.data;
	if (payload)
		perf_data_take_feature(data, PERF_FEATURE_TRACING_DATA, payload, len);
	return true;
}

static void take_feature(struct perf_data *data, struct blob body)
{
	uint64_t feature = blob_u64(&body);
	size_t len = blob_left(&body);

	if (body.failed || feature >= FEATURE_COUNT)
		return;
	perf_data_take_feature(data, (unsigned)feature, keep(data, body.at, len), len);
}

static int take_compressed(struct perf_data *data, uint32_t type, struct blob body, struct err *err)
{
	uint64_t len = blob_left(&body);

	if (type == USER_RECORD_COMPRESSED2) {
		len = blob_u64(&body);
		if (body.failed || len > blob_left(&body)) {
			data->stats.bad_records++;
			perf_data_damage(data, "compressed record: length exceeds the record");
			return 0;
		}
	}
	return perf_data_unpack(data, body.at, len, err);
}

/* Gives back the pages of the rounds before the last, or before the one before that when records
 * are still on their way. A sink that holds on to their records is asked to use them first: what it
 * reads later would be mapped again and stay. */
static int release_rounds(struct perf_data *data, struct err *err)
{
	struct sink *sink = data->sink;
	size_t until = data->order.queue ? data->round_before : data->round_start;
	int failed = 0;

	if (input_releases(data->input, until)) {
		if (sink && sink->flush)
			failed = sink->flush(sink, err);
		input_release(data->input, until);
	}
	data->round_before = data->round_start;
	data->round_start = (size_t)(data->at - data->map);
	return failed;
}

static int end_round(struct perf_data *data, struct err *err)
{
	struct order *order = &data->order;
	bool put_off;
	int failed = 0;

	if (data->one_window)
		return 0;
	put_off = order_puts_off(order);
	if (!put_off)
		failed = perf_data_flush(data, order->limit_ns, err);
	order->limit_ns = order->newest_ns;
	order->round++;
	if (data->map && !put_off && !failed)
		failed = release_rounds(data, err);
	return failed;
}

/* Handles records about the recording itself. Returns false if the next record cannot be found. */
static bool apply_record(struct perf_data *data, struct perf_event_header header, struct blob body)
{
	struct blob size = body;
	uint64_t aux_bytes;

	switch (header.type) {
	case USER_RECORD_ATTR:
		if (!perf_data_take_attr(data, body))
			data->stats.bad_records++;
		return true;
	case USER_RECORD_EVENT_UPDATE:
		perf_data_take_update(data, body);
		return true;
	case USER_RECORD_FEATURE:
		take_feature(data, body);
		return true;
	case USER_RECORD_ID_INDEX:
		perf_data_apply_facts(data, body);
		return true;
	case USER_RECORD_TRACING_DATA:
		return take_tracing_data(data, body);
	case USER_RECORD_AUXTRACE:
		aux_bytes = blob_u64(&size);
		data->stats.aux_bytes += aux_bytes;
		return skip_payload(data, aux_bytes);
	default:
		return true;
	}
}

/* Finds the end of a later round, {FINISHED_ROUND, 0, 8}, and continues there. */
static bool resume(struct perf_data *data)
{
	const struct perf_event_header round = { USER_RECORD_ROUND, 0, sizeof(round) };
	const uint8_t *from = data->at;

	if (!data->map || data->stopped)
		return false;
	for (from += 8; data->end - from >= 8; from += 8) {
		struct perf_event_header header = perf_data_record_header(data, from);

		if (memcmp(&header, &round, sizeof(round)) != 0)
			continue;
		data->stats.truncated_bytes += (uint64_t)(from - data->at);
		data->at = from;
		return true;
	}
	return false;
}

static int take_record(struct perf_data *data, const uint8_t *record,
		       struct perf_event_header header, struct err *err)
{
	struct blob body;
	int failed;

	if (header.type < USER_RECORD_ATTR)
		return perf_data_take_record(data, record, header, err);
	body = perf_data_blob(data, record + sizeof(header), header.size - sizeof(header));
	if (header.type == USER_RECORD_COMPRESSED || header.type == USER_RECORD_COMPRESSED2) {
		data->stats.records++;
		data->stats.by_type[header.type]++;
		data->header.compressed = true;
		return take_compressed(data, header.type, body, err);
	}
	failed = perf_data_take_record(data, record, header, err);
	if (failed)
		return failed;
	if (header.type == USER_RECORD_ROUND)
		return end_round(data, err);
	if (!apply_record(data, header, body)) {
		data->stopped = true;
		perf_data_damage(data, "truncated payload of a record of type %u", header.type);
	}
	return 0;
}

/* The next whole record, not consumed. False at the end or where nothing can be read. */
static bool next_record(struct perf_data *data, const uint8_t **ret,
			struct perf_event_header *ret_header)
{
	const uint8_t *record = data->stopped ? NULL : look(data, sizeof(*ret_header));

	if (!record)
		return false;
	*ret_header = perf_data_record_header(data, record);
	if (ret_header->size < sizeof(*ret_header)) {
		data->stats.bad_records++;
		perf_data_damage(data, "record of %u bytes", ret_header->size);
		return resume(data) && next_record(data, ret, ret_header);
	}
	*ret = look(data, ret_header->size);
	if (*ret)
		return true;
	perf_data_damage(data, "truncated last record");
	return resume(data) && next_record(data, ret, ret_header);
}

int perf_data_stream(struct perf_data *data, struct err *err)
{
	struct perf_event_header header;
	const uint8_t *record;
	int failed = 0;

	while (!failed && next_record(data, &record, &header)) {
		consume(data, header.size);
		failed = take_record(data, record, header, err);
		if (data->map && !failed && !data->stopped)
			data->at += perf_data_take_samples(data, data->at, leftover(data));
	}
	data->stats.truncated_bytes += leftover(data);
	return failed;
}

static bool is_about_file(const struct perf_data *data, const uint8_t *record,
			  struct perf_event_header header)
{
	size_t body = header.size - sizeof(header);

	return header.type == USER_RECORD_ATTR || header.type == USER_RECORD_EVENT_UPDATE ||
	       header.type == USER_RECORD_FEATURE || header.type == USER_RECORD_TRACING_DATA ||
	       (header.type == USER_RECORD_ID_INDEX &&
		perf_data_is_names(perf_data_blob(data, record + sizeof(header), body)));
}

int perf_data_stream_head(struct perf_data *data, struct err *err)
{
	static const unsigned late[] = { PERF_FEATURE_EVENT_DESC, PERF_FEATURE_GROUP_DESC };
	struct perf_event_header header;
	const uint8_t *record;
	int failed = 0;

	while (!failed && next_record(data, &record, &header) &&
	       is_about_file(data, record, header)) {
		consume(data, header.size);
		failed = take_record(data, record, header, err);
	}
	/* They may precede the events that they describe. */
	for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++)
		if (data->feature[late[i]].data)
			perf_data_take_feature(data, late[i], data->feature[late[i]].data,
					       data->feature[late[i]].len);
	return failed;
}
