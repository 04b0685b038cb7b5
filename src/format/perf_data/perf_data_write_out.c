/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of the perf.data writer: small pieces gather in a buffer, large ones go from the rings to
 * the kernel without a copy. After a failed write nothing more is written. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/byte_queue.h"
#include "base/err.h"
#include "format/perf_data/perf_data_write_private.h"

#define COPY_MAX ((size_t)16 << 10) /* larger pieces are not copied */
/* Interval of checks for the end while a reader reads nothing; and its time limit after that. */
#define LOOK_MS	    200
#define PATIENCE_MS 2000
/* Build ids and what else stands behind the data. */
#define FEATURES_ROOM ((uint64_t)6 << 10)

uint64_t writer_data_end(const struct perf_data_writer *writer)
{
	return writer->header.data.offset + writer->header.data.size;
}

int writer_put_at(struct perf_data_writer *writer, const void *data, size_t len, uint64_t offset,
		  struct err *err)
{
	const char *p = data;

	for (size_t done = 0; done < len;) {
		ssize_t n = pwrite(writer->facts.fd, p + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_errno(err, "writing");
		done += (size_t)n;
	}
	return 0;
}

int writer_put_header(struct perf_data_writer *writer, struct err *err)
{
	return writer_put_at(writer, &writer->header, sizeof(writer->header), 0, err);
}

/* The end of the last whole record since the last round that leaves room for the features. */
static uint64_t last_record_end(const struct perf_data_writer *writer)
{
	uint64_t at = writer_data_end(writer);
	struct perf_event_header header;

	while (at + FEATURES_ROOM + sizeof(header) <= writer->offset &&
	       pread(writer->facts.fd, &header, sizeof(header), (off_t)at) == sizeof(header) &&
	       header.size >= sizeof(header) && header.size <= writer->offset - FEATURES_ROOM - at)
		at += header.size;
	return at;
}

/* What is in the file stays readable. */
static void cut_data(struct perf_data_writer *writer)
{
	uint64_t end = last_record_end(writer);
	struct err ignored;

	writer->header.data.size = end - writer->header.data.offset;
	(void)!ftruncate(writer->facts.fd, (off_t)end);
	(void)lseek(writer->facts.fd, (off_t)end, SEEK_SET);
	writer->offset = end;
	(void)writer_put_header(writer, &ignored); /* takes no space */
}

static int write_failed(struct perf_data_writer *writer, int error, struct err *err)
{
	writer->error = error;
	writer->pending_len = 0;
	if (!writer->facts.pipe)
		cut_data(writer);
	if (error == -EPIPE && writer->facts.queue)
		return err_set(err, error, "the process that reads binaries ended");
	err_set(err, error, "writing: %s", strerror(-error));
	if (error == -ENOSPC || error == -EDQUOT)
		return err_hint(err, "free some space or write elsewhere with -o");
	return error;
}

/* Clears the index of features after the data, which is overwritten next. */
static int forget_index(struct perf_data_writer *writer, struct err *err)
{
	writer->header.features[0] = 0;
	return writer_put_header(writer, err);
}

/* Waits until the pipe has room for PIPE_BUF bytes, so that a write does not block. */
static int wait_for_reader(struct perf_data_writer *writer, struct err *err)
{
	struct pollfd ready = { .fd = writer->facts.fd, .events = POLLOUT };
	const struct perf_data_facts *facts = &writer->facts;

	for (int idle_ms = 0; poll(&ready, 1, LOOK_MS) == 0;) { /* an error shows at the write */
		if (!facts->asked_to_stop || !facts->asked_to_stop(facts->stop_context))
			continue;
		idle_ms += LOOK_MS;
		if (idle_ms < PATIENCE_MS)
			continue;
		writer->error = -ETIMEDOUT;
		return err_set(err, writer->error, "writing: the reader closed the pipe");
	}
	return 0;
}

static ssize_t write_some(struct perf_data_writer *writer, const struct iovec *parts, int count)
{
	if (writer->facts.queue) {
		errno = -byte_queue_put(writer->facts.queue, parts->iov_base, parts->iov_len);
		return errno ? -1 : (ssize_t)parts->iov_len;
	}
	if (!writer->facts.pipe)
		return writev(writer->facts.fd, parts, count);
	return write(writer->facts.fd, parts->iov_base,
		     parts->iov_len < PIPE_BUF ? parts->iov_len : PIPE_BUF);
}

int writer_flush(struct perf_data_writer *writer, const void *data, size_t len, struct err *err)
{
	struct iovec part[2] = { { writer->pending, writer->pending_len },
				 { (void *)(uintptr_t)data, len } };
	struct iovec *next = part;
	int left = 2;

	if (writer->error)
		return err_set(err, writer->error, "writing: %s", strerror(-writer->error));
	if (writer->header.features[0] && forget_index(writer, err))
		return err->code;
	while (left) {
		ssize_t n;

		if (!next->iov_len) {
			next++;
			left--;
			continue;
		}
		if (writer->facts.pipe && !writer->facts.queue && wait_for_reader(writer, err))
			return err->code;
		n = write_some(writer, next, left);
		/* EAGAIN: a pipe that its reader made non-blocking */
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
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

int writer_put(struct perf_data_writer *writer, const void *data, size_t len, struct err *err)
{
	if (len > COPY_MAX || writer->pending_len + len > PERF_DATA_PENDING) {
		if (len > COPY_MAX)
			return writer_flush(writer, data, len, err);
		if (writer_flush(writer, NULL, 0, err))
			return err->code;
	}
	if (len)
		memcpy(writer->pending + writer->pending_len, data, len);
	writer->pending_len += len;
	return 0;
}

/* Fills in the size of the record that scratch holds, pads it to 8 bytes and writes it. FEATURE
 * records alone are not padded: their readers take the size for that of the payload. */
int writer_put_scratch(struct perf_data_writer *writer, struct err *err)
{
	static const char zero[8];
	struct perf_event_header header;

	memcpy(&header, writer->scratch.data, sizeof(header));
	if (header.type != RECORD_FEATURE)
		(void)buf_append(&writer->scratch, zero, -writer->scratch.len & 7); /* small */
	if (writer->scratch.len > PERF_RECORD_BYTES_MAX)
		return err_set(err, -E2BIG, "writing: a record of %zu bytes", writer->scratch.len);
	header.size = (uint16_t)writer->scratch.len;
	memcpy(writer->scratch.data, &header, sizeof(header));
	return writer_put(writer, writer->scratch.data, writer->scratch.len, err);
}

void writer_start_scratch(struct perf_data_writer *writer, enum perf_data_record type)
{
	struct perf_event_header header = { .type = type };

	buf_clear(&writer->scratch);
	(void)buf_append(&writer->scratch, &header, sizeof(header)); /* small */
}
