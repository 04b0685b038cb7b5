/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The perf.data writer: header, data and feature sections of a file, or the records of a pipe (see
 * perf_data_write.h). Small pieces gather in a buffer; large ones go from the rings to the kernel
 * without a copy. Format: tools/perf/Documentation/perf.data-file-format.txt. */
#include "format/perf_data_write.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/desc.h"
#include "format/perf_data.h"
#include "format/perf_data_write_feature.h"
#include "format/perf_data_write_record.h"
#include "format/perf_data_write_zstd.h"

#define PENDING_MAX    ((size_t)256 << 10)
#define COPY_MAX       ((size_t)16 << 10) /* larger pieces are not copied */
#define RECORD_MAX     ((size_t)65528)
#define FEATURE_PREFIX (sizeof(struct perf_event_header) + sizeof(uint64_t))

enum record_type {
	RECORD_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_EVENT_UPDATE = 78,
	RECORD_FEATURE = 80,
};

struct section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

struct perf_data_writer {
	int fd;
	bool pipe;
	const struct event_set *events;
	struct perf_data_facts facts;
	struct file_header header; /* data.size is that of the last full round */
	uint64_t offset;	   /* bytes handed to the kernel */
	uint64_t raw_bytes, compressed_bytes;
	int error; /* first failed write: no more data after it */
	struct perf_data_zstd *zstd;
	struct buf scratch, compressed;
	size_t pending_len;
	uint8_t pending[PENDING_MAX];
};

/* Everything written so far belongs to a full round; after a failed write nothing more does. */
static uint64_t data_end(const struct perf_data_writer *writer)
{
	return writer->header.data.offset + writer->header.data.size;
}

static int write_failed(struct perf_data_writer *writer, int error, struct err *err)
{
	writer->error = error;
	writer->pending_len = 0;
	if (!writer->pipe) {
		/* a round cut in two is of no use, and its room may be what the features need */
		(void)!ftruncate(writer->fd, (off_t)data_end(writer));
		(void)lseek(writer->fd, (off_t)data_end(writer), SEEK_SET);
		writer->offset = data_end(writer);
	}
	err_set(err, error, "writing perf.data: %s", strerror(-error));
	if (error == -ENOSPC || error == -EDQUOT)
		return err_hint(err, "what was recorded before is kept; free some space or write "
				     "elsewhere with -o");
	return error;
}

/* Writes the pending bytes and then data. */
static int write_out(struct perf_data_writer *writer, const void *data, size_t len, struct err *err)
{
	struct iovec part[2] = { { writer->pending, writer->pending_len },
				 { (void *)(uintptr_t)data, len } };
	struct iovec *next = part;
	int left = 2;

	if (writer->error)
		return err_set(err, writer->error, "writing perf.data: %s",
			       strerror(-writer->error));
	while (left) {
		ssize_t n;

		if (!next->iov_len) {
			next++;
			left--;
			continue;
		}
		n = writev(writer->fd, next, left);
		if (n < 0 && errno == EAGAIN) { /* a pipe whose reader made it non-blocking */
			struct pollfd ready = { .fd = writer->fd, .events = POLLOUT };

			(void)poll(&ready, 1, -1); /* an error shows at the next write */
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return write_failed(writer, -errno, err);
		writer->offset += (uint64_t)n;
		for (size_t rest = (size_t)n; rest;) {
			size_t used = rest < next->iov_len ? rest : next->iov_len;

			next->iov_base = (char *)next->iov_base + used;
			next->iov_len -= used;
			rest -= used;
			if (!next->iov_len && left > 1) {
				next++;
				left--;
			}
		}
	}
	writer->pending_len = 0;
	return 0;
}

static int put(struct perf_data_writer *writer, const void *data, size_t len, struct err *err)
{
	if (len > COPY_MAX || writer->pending_len + len > PENDING_MAX) {
		if (len > COPY_MAX)
			return write_out(writer, data, len, err);
		if (write_out(writer, NULL, 0, err))
			return err->code;
	}
	if (len)
		memcpy(writer->pending + writer->pending_len, data, len);
	writer->pending_len += len;
	return 0;
}

/* Fills in the size of the record that scratch holds, pads it to 8 bytes and writes it. FEATURE
 * records alone are not padded: their readers take the size for that of the payload. */
static int put_scratch(struct perf_data_writer *writer, struct err *err)
{
	static const char zero[8];
	struct perf_event_header header;

	memcpy(&header, writer->scratch.data, sizeof(header));
	if (header.type != RECORD_FEATURE)
		(void)buf_append(&writer->scratch, zero, -writer->scratch.len & 7); /* small */
	if (writer->scratch.len > RECORD_MAX)
		return err_set(err, -E2BIG, "writing perf.data: a record of %zu bytes",
			       writer->scratch.len);
	header.size = (uint16_t)writer->scratch.len;
	memcpy(writer->scratch.data, &header, sizeof(header));
	return put(writer, writer->scratch.data, writer->scratch.len, err);
}

static void start_scratch(struct perf_data_writer *writer, enum record_type type)
{
	struct perf_event_header header = { .type = type };

	buf_clear(&writer->scratch);
	(void)buf_append(&writer->scratch, &header, sizeof(header)); /* small */
}

static int write_header(struct perf_data_writer *writer, struct err *err)
{
	const char *p = (const char *)&writer->header;

	for (size_t done = 0; done < sizeof(writer->header);) {
		ssize_t n =
			pwrite(writer->fd, p + done, sizeof(writer->header) - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_errno(err, "writing the header of perf.data");
		done += (size_t)n;
	}
	return 0;
}

/* header, ids of all events, attrs; the data follows. */
static int start_file(struct perf_data_writer *writer, struct err *err)
{
	const struct event_set *events = writer->events;
	struct file_header *header = &writer->header;
	uint64_t ids_at = sizeof(*header);
	struct buf attrs = { 0 };
	int r;

	memcpy(header->magic, "PERFILE2", 8);
	header->size = sizeof(*header);
	header->attr_size = PERF_DATA_ATTR_SIZE + sizeof(struct section);
	r = put(writer, header, sizeof(*header), err);
	for (size_t i = 0; i < events->desc.count && r == 0; i++) {
		const struct event_desc *desc = events->desc.item[i];
		struct section ids = { ids_at, desc->ids.count * sizeof(uint64_t) };

		perf_feature_put_attr(&attrs, desc);
		(void)buf_append(&attrs, &ids, sizeof(ids)); /* small */
		r = put(writer, desc->ids.item, ids.size, err);
		ids_at += ids.size;
	}
	header->attrs = (struct section){ ids_at, attrs.len };
	header->data.offset = ids_at + attrs.len;
	if (r == 0)
		r = put(writer, attrs.data, attrs.len, err);
	if (r == 0)
		r = write_out(writer, NULL, 0, err);
	buf_done(&attrs);
	return r ? r : write_header(writer, err);
}

static int put_pipe_attr(struct perf_data_writer *writer, const struct event_desc *desc,
			 struct err *err)
{
	size_t ids = desc->ids.count;
	size_t most = (RECORD_MAX - sizeof(struct perf_event_header) - PERF_DATA_ATTR_SIZE) / 8;
	const struct {
		uint64_t type, id;
	} update = { 2, ids ? desc->ids.item[0] : 0 }; /* 2 = the event's name */

	if (ids > most && writer->events->desc.count > 1)
		return err_set(err, -E2BIG, "event '%s': more than %zu ids do not fit a pipe",
			       desc->name, most);
	start_scratch(writer, RECORD_ATTR);
	perf_feature_put_attr(&writer->scratch, desc);
	(void)buf_append(&writer->scratch, desc->ids.item, (ids < most ? ids : most) * 8);
	if (put_scratch(writer, err))
		return err->code;
	if (!ids)
		return 0;
	start_scratch(writer, RECORD_EVENT_UPDATE);
	(void)buf_append(&writer->scratch, &update, sizeof(update));
	(void)buf_append(&writer->scratch, desc->name, strlen(desc->name) + 1);
	return put_scratch(writer, err);
}

/* One FEATURE record; silent when there is nothing to say. */
static int put_pipe_feature(struct perf_data_writer *writer, unsigned feature,
			    const struct perf_data_summary *summary, struct err *err)
{
	struct perf_feature_input input = { writer->events,    &writer->facts,		 summary,
					    writer->raw_bytes, writer->compressed_bytes, false };
	uint64_t number = feature;

	start_scratch(writer, RECORD_FEATURE);
	(void)buf_append(&writer->scratch, &number, sizeof(number));
	if (!perf_feature_put(feature, &input, &writer->scratch))
		return 0;
	if (feature == PERF_FEATURE_EVENT_DESC && writer->scratch.len > RECORD_MAX) {
		input.no_ids = true; /* the ATTR records have them */
		writer->scratch.len = FEATURE_PREFIX;
		(void)perf_feature_put(feature, &input, &writer->scratch);
	}
	if (writer->scratch.len > RECORD_MAX)
		return 0; /* a command line of 64 KB: the stream has no place for it */
	return put_scratch(writer, err);
}

/* The payload follows its record, which tells its size without the padding. */
static int put_pipe_tracing_data(struct perf_data_writer *writer, struct err *err)
{
	static const char zero[8];
	size_t len = writer->facts.tracing_data_len;
	uint32_t padded = (uint32_t)((len + 7) & ~(size_t)7);
	int r;

	if (!len)
		return 0;
	start_scratch(writer, RECORD_TRACING_DATA);
	(void)buf_append(&writer->scratch, &padded, sizeof(padded));
	writer->scratch.len = 12; /* this record alone is no multiple of 8 */
	((struct perf_event_header *)(void *)writer->scratch.data)->size = 12;
	r = put(writer, writer->scratch.data, writer->scratch.len, err);
	if (r == 0)
		r = put(writer, writer->facts.tracing_data, len, err);
	return r ? r : put(writer, zero, padded - len, err);
}

static int start_pipe(struct perf_data_writer *writer, struct err *err)
{
	const struct {
		char magic[8];
		uint64_t size;
	} header = { "PERFILE2", sizeof(header) };
	int r = put(writer, &header, sizeof(header), err);

	for (size_t i = 0; i < writer->events->desc.count && r == 0; i++)
		r = put_pipe_attr(writer, writer->events->desc.item[i], err);
	for (unsigned feature = PERF_FEATURE_HOSTNAME; feature < 64 && r == 0; feature++)
		r = put_pipe_feature(writer, feature, NULL, err);
	if (r == 0)
		r = put_pipe_tracing_data(writer, err);
	return r ? r : write_out(writer, NULL, 0, err);
}

int perf_data_writer_open(const struct event_set *events, const struct perf_data_facts *facts,
			  struct perf_data_writer **ret, struct err *err)
{
	struct perf_data_writer *writer;
	int r = 0;

	if (!events->desc.count)
		return err_set(err, -EINVAL, "writing perf.data: no events");
	writer = mem_zalloc(sizeof(*writer));
	writer->fd = facts->fd;
	writer->pipe = facts->pipe;
	writer->events = events;
	writer->facts = *facts;
	if (facts->zstd_level)
		r = perf_data_zstd_new(facts->zstd_level, &writer->zstd, err);
	if (r == 0)
		r = facts->pipe ? start_pipe(writer, err) : start_file(writer, err);
	if (r) {
		perf_data_writer_free(writer);
		return r;
	}
	*ret = writer;
	return 0;
}

int perf_data_writer_records(struct perf_data_writer *writer, const void *data, size_t len,
			     struct err *err)
{
	int r;

	if (!writer->zstd)
		return put(writer, data, len, err);
	buf_clear(&writer->compressed);
	r = perf_data_zstd_put(writer->zstd, data, len, &writer->compressed, err);
	writer->raw_bytes += len;
	writer->compressed_bytes += writer->compressed.len;
	return r ? r : put(writer, writer->compressed.data, writer->compressed.len, err);
}

int perf_data_writer_event(struct perf_data_writer *writer, const struct event *event,
			   struct err *err)
{
	int r;

	if (event->type == EVENT_ROUND)
		return perf_data_writer_round(writer, err);
	buf_clear(&writer->scratch);
	r = perf_data_encode(writer->events, event, &writer->scratch);
	if (r)
		return err_set(err, r, "writing perf.data: cannot write an event of type %d",
			       (int)event->type);
	return put(writer, writer->scratch.data, writer->scratch.len, err);
}

/* Everything so far becomes readable. */
static int commit(struct perf_data_writer *writer, struct err *err)
{
	if (write_out(writer, NULL, 0, err))
		return err->code;
	if (writer->pipe)
		return 0;
	writer->header.data.size = writer->offset - writer->header.data.offset;
	return write_header(writer, err);
}

int perf_data_writer_round(struct perf_data_writer *writer, struct err *err)
{
	const struct perf_event_header round = { .type = RECORD_FINISHED_ROUND,
						 .size = sizeof(round) };

	if (put(writer, &round, sizeof(round), err))
		return err->code;
	return commit(writer, err);
}

static void facts_of_cpus(struct buf *text, const char *key, const uint64_t *count, size_t cpus)
{
	for (size_t i = 0; count && i < cpus; i++)
		if (count[i])
			(void)buf_printf(text, "%s %zu %llu\n", key, i,
					 (unsigned long long)count[i]);
}

/* Our own facts (see the header), cut at line ends where they do not fit one record. */
static int put_facts(struct perf_data_writer *writer, const struct perf_data_summary *summary,
		     struct err *err)
{
	struct buf text = { 0 };
	const char *line;
	int r = 0;

	(void)buf_printf(&text,
			 "self_cpu_ns %llu\nself_peak_rss_bytes %llu\n"
			 "lost_samples %llu\nlost_records %llu\n",
			 (unsigned long long)summary->self_cpu_ns,
			 (unsigned long long)summary->self_peak_rss_bytes,
			 (unsigned long long)summary->lost_samples,
			 (unsigned long long)summary->lost_records);
	facts_of_cpus(&text, "lost_cpu", summary->lost_by_cpu, summary->cpus);
	facts_of_cpus(&text, "throttled_cpu", summary->throttled_by_cpu, summary->cpus);
	for (line = text.data; line && *line && r == 0;) {
		const uint64_t entries = 0;

		start_scratch(writer, RECORD_ID_INDEX);
		(void)buf_append(&writer->scratch, &entries, sizeof(entries)); /* small */
		(void)buf_puts(&writer->scratch, PERF_DATA_FACTS_MAGIC);
		while (*line && writer->scratch.len < RECORD_MAX / 2) {
			size_t len = strcspn(line, "\n") + 1;

			(void)buf_append(&writer->scratch, line, len);
			line += len;
		}
		r = put_scratch(writer, err);
	}
	buf_done(&text);
	return r;
}

static int put_build_ids(struct perf_data_writer *writer, const struct perf_data_summary *summary,
			 struct buf *out)
{
	for (size_t i = 0; i < summary->build_id_count; i++) {
		int r = perf_data_encode(writer->events, &summary->build_ids[i], out);

		if (r && r != -E2BIG) /* a path that fits no record has no build id */
			return r;
	}
	return 0;
}

static int finish_pipe(struct perf_data_writer *writer, const struct perf_data_summary *summary,
		       struct err *err)
{
	buf_clear(&writer->scratch);
	if (put_build_ids(writer, summary, &writer->scratch))
		return err_set(err, -EINVAL, "writing perf.data: bad build id event");
	if (put(writer, writer->scratch.data, writer->scratch.len, err) ||
	    put_pipe_feature(writer, PERF_FEATURE_SAMPLE_TIME, summary, err))
		return err->code;
	return write_out(writer, NULL, 0, err);
}

/* An index of {offset, size} in the order of the feature bits, then the payloads. */
static int put_features(struct perf_data_writer *writer, const struct perf_data_summary *summary,
			struct err *err)
{
	const struct perf_feature_input input = {
		writer->events,	   &writer->facts,	     summary,
		writer->raw_bytes, writer->compressed_bytes, false
	};
	struct section index[64];
	struct buf payload = { 0 };
	size_t count = 0;
	int r = 0;

	for (unsigned feature = 1; feature < 64 && r == 0; feature++) {
		size_t start = payload.len;
		bool there = feature == PERF_FEATURE_BUILD_ID
				     ? summary->build_id_count > 0
				     : perf_feature_put(feature, &input, &payload);

		if (feature == PERF_FEATURE_BUILD_ID)
			r = put_build_ids(writer, summary, &payload);
		if (!there) {
			payload.len = start; /* a count of nothing */
			continue;
		}
		index[count++] = (struct section){ start, payload.len - start };
		writer->header.features[0] |= 1ULL << feature;
	}
	for (size_t i = 0; i < count; i++)
		index[i].offset += data_end(writer) + count * sizeof(index[0]);
	if (r)
		err_set(err, r, "writing perf.data: bad build id event");
	else
		r = put(writer, index, count * sizeof(index[0]), err);
	if (r == 0)
		r = write_out(writer, payload.data, payload.len, err);
	buf_done(&payload);
	return r;
}

int perf_data_writer_finish(struct perf_data_writer *writer,
			    const struct perf_data_summary *summary, struct err *err)
{
	struct err first = { 0 };

	if (writer->error && writer->pipe)
		return err_set(err, writer->error, "writing perf.data: %s",
			       strerror(-writer->error));
	writer->error = 0; /* the failed round is cut off: try to complete the rest */
	if (put_facts(writer, summary, &first) || commit(writer, &first))
		writer->error = 0;
	if (writer->pipe ? finish_pipe(writer, summary, err) : put_features(writer, summary, err)) {
		memset(writer->header.features, 0, sizeof(writer->header.features));
		return err->code;
	}
	if (!writer->pipe && write_header(writer, err))
		return err->code;
	if (first.code)
		*err = first;
	return first.code;
}

uint64_t perf_data_writer_bytes(const struct perf_data_writer *writer)
{
	return writer->offset + writer->pending_len;
}

void perf_data_writer_free(struct perf_data_writer *writer)
{
	if (!writer)
		return;
	perf_data_zstd_free(writer->zstd);
	buf_done(&writer->scratch);
	buf_done(&writer->compressed);
	free(writer);
}
