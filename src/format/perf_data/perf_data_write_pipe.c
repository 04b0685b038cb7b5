/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pipe mode of the perf.data writer: what a file keeps in its header and feature sections becomes
 * records at the start of the stream. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write_feature.h"
#include "format/perf_data/perf_data_write_private.h"
#include "format/perf_data/perf_data_write_record.h"

#define FEATURE_PREFIX (sizeof(struct perf_event_header) + sizeof(uint64_t))

static int put_pipe_attr(struct perf_data_writer *writer, const struct event_desc *desc,
			 struct err *err)
{
	size_t ids = desc->ids.count;
	size_t most =
		(PERF_RECORD_BYTES_MAX - sizeof(struct perf_event_header) - PERF_DATA_ATTR_SIZE) /
		8;
	const struct {
		uint64_t type, id;
	} update = { 2, ids ? desc->ids.item[0] : 0 }; /* 2 = the event's name */

	if (ids > most && writer->events->desc.count > 1)
		return err_set(err, -E2BIG, "event '%s': more than %zu ids in pipe mode",
			       desc->name, most);
	writer_start_scratch(writer, RECORD_ATTR);
	perf_feature_put_attr(&writer->scratch, desc);
	(void)buf_append(&writer->scratch, desc->ids.item, (ids < most ? ids : most) * 8);
	if (writer_put_scratch(writer, err))
		return err->code;
	if (!ids)
		return 0;
	writer_start_scratch(writer, RECORD_EVENT_UPDATE);
	(void)buf_append(&writer->scratch, &update, sizeof(update));
	(void)buf_append(&writer->scratch, desc->name, strlen(desc->name) + 1);
	return writer_put_scratch(writer, err);
}

/* One FEATURE record; none if it has no content. */
static int put_pipe_feature(struct perf_data_writer *writer, unsigned feature,
			    const struct perf_data_summary *summary, struct err *err)
{
	struct perf_feature_input input = { writer->events,    &writer->facts,		 summary,
					    writer->raw_bytes, writer->compressed_bytes, false };
	uint64_t number = feature;

	writer_start_scratch(writer, RECORD_FEATURE);
	(void)buf_append(&writer->scratch, &number, sizeof(number));
	if (!perf_feature_put(feature, &input, &writer->scratch))
		return 0;
	if (feature == PERF_FEATURE_EVENT_DESC && writer->scratch.len > PERF_RECORD_BYTES_MAX) {
		input.no_ids = true; /* the ATTR records have them */
		writer->scratch.len = FEATURE_PREFIX;
		(void)perf_feature_put(feature, &input, &writer->scratch);
	}
	if (writer->scratch.len > PERF_RECORD_BYTES_MAX)
		return 0; /* a command line of 64 KB: the stream has no place for it */
	return writer_put_scratch(writer, err);
}

/* The payload follows its record, which has its size without the padding. */
static int put_pipe_tracing_data(struct perf_data_writer *writer, struct err *err)
{
	static const char zero[8];
	size_t len = writer->facts.tracing_data_len;
	uint32_t padded = (uint32_t)((len + 7) & ~(size_t)7);
	int r;

	if (!len)
		return 0;
	writer_start_scratch(writer, RECORD_TRACING_DATA);
	(void)buf_append(&writer->scratch, &padded, sizeof(padded));
	writer->scratch.len = 12; /* this record alone is no multiple of 8 */
	((struct perf_event_header *)(void *)writer->scratch.data)->size = 12;
	r = writer_put(writer, writer->scratch.data, writer->scratch.len, err);
	if (r == 0)
		r = writer_put(writer, writer->facts.tracing_data, len, err);
	return r ? r : writer_put(writer, zero, padded - len, err);
}

int writer_start_pipe(struct perf_data_writer *writer, struct err *err)
{
	const struct {
		char magic[8];
		uint64_t size;
	} header = { "PERFILE2", sizeof(header) };
	int r = writer_put(writer, &header, sizeof(header), err);

	for (size_t i = 0; i < writer->events->desc.count && r == 0; i++)
		r = put_pipe_attr(writer, writer->events->desc.item[i], err);
	for (unsigned feature = PERF_FEATURE_HOSTNAME; feature < 64 && r == 0; feature++)
		r = put_pipe_feature(writer, feature, NULL, err);
	if (r == 0)
		r = put_pipe_tracing_data(writer, err);
	if (r == 0)
		r = writer_put_names(writer, writer->facts.names, writer->facts.names_len, err);
	return r ? r : writer_flush(writer, NULL, 0, err);
}

int writer_append_build_ids(const struct perf_data_writer *writer,
			    const struct perf_data_summary *summary, struct buf *ret,
			    struct err *err)
{
	for (size_t i = 0; i < summary->build_id_count; i++) {
		int r = perf_data_encode(writer->events, &summary->build_ids[i], ret);

		if (r && r != -E2BIG) /* a path that fits no record has no build id */
			return err_set(err, r, "writing: invalid build id event");
	}
	return 0;
}

int writer_finish_pipe(struct perf_data_writer *writer, const struct perf_data_summary *summary,
		       struct err *err)
{
	buf_clear(&writer->scratch);
	if (writer_append_build_ids(writer, summary, &writer->scratch, err) ||
	    writer_put(writer, writer->scratch.data, writer->scratch.len, err) ||
	    put_pipe_feature(writer, PERF_FEATURE_SAMPLE_TIME, summary, err))
		return err->code;
	return writer_flush(writer, NULL, 0, err);
}
