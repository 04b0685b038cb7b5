/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a recording: magic, byte order, file or pipe mode, attrs and header sections; then reads
 * all its records. perf_data_private.h lists the other files. Format:
 * tools/perf/Documentation/perf.data-file-format.txt of the Linux kernel. */
#include "format/perf_data/perf_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "format/format.h"
#include "format/input.h"
#include "format/perf_data/perf_data_private.h"

#define MAGIC	      0x32454c4946524550ull /* "PERFILE2" */
#define MAGIC_SWAPPED 0x50455246494c4532ull
#define HEADER_BYTES  104
#define PIPE_BYTES    16
#define RECORD_MAX    65536
#define MEMBERS_MAX   4096
#define SAMPLE_BYTES  64
#define ROOM_RECORDS  ((size_t)4 << 20)

/* Tells byte order and mode from the first 16 bytes. */
static int sniff_header(struct perf_data *data, const uint8_t *head, size_t len, struct err *err)
{
	const char *name = input_name(data->input);
	struct blob blob = { .at = head, .end = head + len };
	uint64_t magic = blob_u64(&blob);

	if (len == 0)
		return err_set(err, -ENODATA, "%s: empty file", name);
	if (len >= 8 && memcmp(head, "PERFFILE", 8) == 0)
		return err_set(err, -ENOTSUP, "%s: written by a perf older than Linux 3.0", name);
	if (magic != MAGIC && magic != MAGIC_SWAPPED)
		return err_set(err, -EINVAL, "%s: not a perf.data file", name);
	data->header.swapped = magic == MAGIC_SWAPPED;
	blob.swapped = data->header.swapped;
	data->header.pipe = blob_u64(&blob) == PIPE_BYTES;
	if (blob.failed)
		return err_set(err, -EBADMSG, "%s: truncated in the first bytes", name);
	return 0;
}

/* The bitmap has u64 words, but a 32-bit writer of the other byte order used u32 words. Every perf
 * sets HOSTNAME, so that bit distinguishes them. */
static void take_feature_bits(struct perf_data *data, struct blob *blob)
{
	uint64_t *bits = data->header.features;

	for (size_t i = 0; i < FEATURE_COUNT / 64; i++)
		bits[i] = blob_u64(blob);
	if (!data->header.swapped || (bits[0] >> PERF_FEATURE_HOSTNAME & 1))
		return;
	for (size_t i = 0; i < FEATURE_COUNT / 64; i++)
		bits[i] = bits[i] << 32 | bits[i] >> 32;
}

static int read_file_header(struct perf_data *data, struct err *err)
{
	struct blob blob = perf_data_blob(data, data->map, data->map_len);
	uint64_t size, stride, attrs_offset, attrs_size, end;

	(void)blob_u64(&blob); /* magic */
	size = blob_u64(&blob);
	stride = blob_u64(&blob);
	attrs_offset = blob_u64(&blob);
	attrs_size = blob_u64(&blob);
	data->header.data_offset = blob_u64(&blob);
	data->header.data_size = blob_u64(&blob);
	(void)blob_bytes(&blob, 16); /* event types: unused for long */
	take_feature_bits(data, &blob);
	if (blob.failed || size < HEADER_BYTES)
		return err_set(err, -EBADMSG, "%s: truncated file header", input_name(data->input));
	if (data->header.data_offset > data->map_len)
		return err_set(err, -EBADMSG,
			       "%s: the data section starts after the end of the file",
			       input_name(data->input));
	if (perf_data_read_attrs(data, attrs_offset, attrs_size, stride, err))
		return err->code;
	if (!data->events.desc.count)
		return err_set(err, -ENODATA, "%s: no events in the header",
			       input_name(data->input));
	end = data->map_len - data->header.data_offset; /* bytes there are */
	if (data->header.data_size == 0) {
		/* The recorder was killed: no sections, and the data goes to the end. */
		memset(data->header.features, 0, sizeof(data->header.features));
		perf_data_damage(data, "the recorder did not finish the file");
	} else if (data->header.data_size > end) {
		data->stats.truncated_bytes = data->header.data_size - end;
		perf_data_damage(data, "truncated data section");
		memset(data->header.features, 0, sizeof(data->header.features));
	} else {
		end = data->header.data_size;
		perf_data_read_features(data, data->header.data_offset + data->header.data_size);
		perf_data_find_names(data, data->map + data->header.data_offset,
				     data->map + data->header.data_offset + end);
	}
	data->at = data->map + data->header.data_offset;
	data->end = data->at + end;
	return 0;
}

static int read_pipe_header(struct perf_data *data, struct err *err)
{
	if (data->map) {
		data->at = data->map + PIPE_BYTES;
		data->end = data->map + data->map_len;
		data->header.data_offset = PIPE_BYTES;
	} else {
		uint8_t header[PIPE_BYTES];

		if (input_read(data->input, header, sizeof(header)) != sizeof(header))
			return err_set(err, -EBADMSG, "%s: truncated in the first bytes",
				       input_name(data->input));
	}
	return perf_data_stream_head(data, err);
}

static int open_recording(struct perf_data *data, struct err *err)
{
	const uint8_t *head;
	size_t len;

	if (input_peek(data->input, &head, &len, err) || sniff_header(data, head, len, err))
		return err->code;
	if (!data->header.pipe || input_seekable(data->input)) {
		if (input_map(data->input, &data->map, &data->map_len, err))
			return err->code;
		data->header.file_size = data->map_len;
	}
	data->header.captured_on_s = input_modified_s(data->input);
	return data->header.pipe ? read_pipe_header(data, err) : read_file_header(data, err);
}

int perf_data_open(struct input *input, struct perf_data **ret, struct err *err)
{
	struct perf_data *data = mem_zalloc(sizeof(*data));

	data->input = input;
	data->record_copy = mem_zalloc(RECORD_MAX);
	data->record_probe = mem_zalloc(RECORD_MAX);
	if (open_recording(data, err)) {
		perf_data_close(data);
		return err->code;
	}
	*ret = data;
	return 0;
}

void perf_data_close(struct perf_data *data)
{
	if (!data)
		return;
	for (size_t i = 0; i < data->members.count; i++)
		input_close(data->members.item[i]);
	vec_done(&data->members);
	perf_data_unpack_done(data);
	chunks_done(&data->stream);
	chunks_done(&data->unpacked);
	order_done(&data->order);
	buf_done(&data->tracing_data);
	buf_done(&data->names);
	map_done(&data->counters);
	vec_done(&data->cpu_stats);
	machine_series_done(&data->context);
	event_set_done(&data->events);
	arena_done(&data->arena);
	free(data->record_copy);
	free(data->record_probe);
	free(data);
}

const struct event_set *perf_data_events(const struct perf_data *data)
{
	return &data->events;
}

const struct perf_data_header *perf_data_header(const struct perf_data *data)
{
	return &data->header;
}

const struct perf_data_stats *perf_data_stats(const struct perf_data *data)
{
	return &data->stats;
}

const struct machine_series *perf_data_machine(const struct perf_data *data)
{
	return &data->context;
}

void perf_data_set_beside(struct perf_data *data, const struct perf_data_beside *beside)
{
	data->beside = *beside;
	if (beside->damage && !data->stats.damage[0])
		(void)snprintf(data->stats.damage, sizeof(data->stats.damage), "%s",
			       beside->damage);
}

const struct perf_data_beside *perf_data_beside(const struct perf_data *data)
{
	return &data->beside;
}

void perf_data_set_tap(struct perf_data *data, const struct perf_data_tap *tap)
{
	data->tap = *tap;
}

void perf_data_unordered(struct perf_data *data)
{
	data->unordered = true;
}

/* Directory format: "data.0", "data.1", … hold records only, one file per recording thread. They
 * are not synchronised, so events are delivered after all files are read. */
static int stream_members(struct perf_data *data, struct err *err)
{
	int failed = 0;

	for (unsigned i = 0; i < MEMBERS_MAX && !failed; i++) {
		struct err missing = { 0 };
		struct input *member;
		char name[32];
		size_t len;

		(void)snprintf(name, sizeof(name), "data.%u", i);
		if (input_open_member(data->input, name, &member, &missing))
			break;
		vec_push(&data->members, member);
		if (input_map(member, &data->at, &len, err))
			return err->code;
		data->end = data->at + len;
		perf_data_unpack_done(data);
		failed = perf_data_stream(data, err);
	}
	return failed;
}

void perf_data_in_background(struct perf_data *data)
{
	data->background = true;
}

/* Adds the counts of delivery, and the facts of the recorder that are not records. */
static void sum_stats(struct perf_data *data)
{
	struct perf_data_stats *stats = &data->stats;
	const struct perf_data_stats *delivered = &data->delivered;

	stats->samples += delivered->samples;
	stats->bad_records += delivered->bad_records;
	stats->lost_events += delivered->lost_events;
	stats->lost_samples += delivered->lost_samples;
	stats->throttled += delivered->throttled;
	if (delivered->damage[0])
		perf_data_damage(data, "%s", delivered->damage);
	if (data->recorded_lost_samples > stats->lost_samples)
		stats->lost_samples = data->recorded_lost_samples;
	if (data->recorded_lost_events > stats->lost_events)
		stats->lost_events = data->recorded_lost_events;
	if (data->recorded_truncated_bytes > stats->truncated_bytes)
		stats->truncated_bytes = data->recorded_truncated_bytes;
}

/* Most records are samples, and few of them shorter. */
static size_t expected_records(const struct perf_data *data)
{
	size_t records = data->map ? (size_t)(data->end - data->at) / SAMPLE_BYTES : 0;

	return records < ROOM_RECORDS ? records : ROOM_RECORDS;
}

/* Each round leaves a file that is whole but for what comes last. A recorder that was killed, or
 * had no room on the disk, did not come to that. Before the first round ends there are no features
 * and more data than the header says. */
static void check_end(struct perf_data *data)
{
	const struct perf_data_header *header = &data->header;
	bool ours = header->version && strncmp(header->version, "cupel ", 6) == 0;
	bool early = !header->features[0] &&
		     header->file_size > header->data_offset + header->data_size;

	if (!header->pipe && !data->has_end && (ours || early))
		perf_data_damage(data, "the recorder did not finish the file");
}

static int read_records(struct perf_data *data, struct err *err)
{
	if (perf_data_stream(data, err) || (data->one_window && stream_members(data, err)))
		return err->code;
	data->order.round++;
	return perf_data_flush(data, UINT64_MAX, err);
}

int perf_data_read(struct perf_data *data, struct sink *sink, struct err *err)
{
	struct err late; /* of the background thread, after reading has failed */
	int failed;

	data->sink = sink;
	data->one_window = data->header.features[0] >> PERF_FEATURE_DIR_FORMAT & 1;
	data->order.deliver = perf_data_deliver;
	data->order.context = data;
	data->order.room = sink->make_digest ? expected_records(data) : 0;
	if (data->background && !sink->flush)
		order_in_background(&data->order);
	failed = read_records(data, err);
	if (order_wait(&data->order, failed ? &late : err) && !failed)
		failed = err->code;
	sum_stats(data);
	if (!failed && data->at == data->end)
		check_end(data);
	return failed;
}

static int perf_data_sniff(const uint8_t *head, size_t len)
{
	static const char *const magic[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };

	for (size_t i = 0; i < sizeof(magic) / sizeof(magic[0]); i++)
		if (len >= 8 && memcmp(head, magic[i], 8) == 0)
			return 2;
	return 0;
}

const struct format_ops format_perf_data = {
	.name = "perf.data",
	.suffix = ".data",
	.help = "perf.data recording of cupel or perf",
	.sniff = perf_data_sniff,
	.events = true,
};
