/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the perf.data writer: its state and its output buffer. */
#ifndef FORMAT_PERF_DATA_WRITE_PRIVATE_H
#define FORMAT_PERF_DATA_WRITE_PRIVATE_H

#include "base/buf.h"
#include "format/perf_data/perf_data_write.h"

#define PERF_RECORD_BYTES_MAX ((size_t)65528)
#define PERF_DATA_PENDING     ((size_t)256 << 10)
#define PERF_DATA_FEATURES    64 /* as far as any reader knows features */

enum perf_data_record {
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
	const struct event_set *events;
	struct perf_data_facts facts;
	uint64_t offset; /* bytes handed to the kernel */
	uint64_t raw_bytes, compressed_bytes;
	int error; /* first failed write: no more data after it */
	struct perf_data_zstd *zstd;
	struct buf scratch, compressed;
	struct buf waiting; /* events that are to be compressed together */

	/* File mode: as of the last complete round. `feature` locates the payloads known from the
	 * start; their index follows the data while header.features is not 0, and the next data
	 * overwrites it. */
	struct file_header header;
	struct section feature[PERF_DATA_FEATURES];

	size_t pending_len;
	uint8_t pending[PERF_DATA_PENDING];
};

/* Output (perf_data_write_out.c). Small pieces gather in `pending`. */
int writer_put(struct perf_data_writer *writer, const void *data, size_t len, struct err *err);
/* Writes the pending bytes and then data. */
int writer_flush(struct perf_data_writer *writer, const void *data, size_t len, struct err *err);
/* Begins a record in writer->scratch; writer_put_scratch() completes and writes it. */
void writer_start_scratch(struct perf_data_writer *writer, enum perf_data_record type);
int writer_put_scratch(struct perf_data_writer *writer, struct err *err);
/* End of the data of full rounds. */
uint64_t writer_data_end(const struct perf_data_writer *writer);
int writer_put_header(struct perf_data_writer *writer, struct err *err);
/* Writes at an offset beyond the data. */
int writer_put_at(struct perf_data_writer *writer, const void *data, size_t len, uint64_t offset,
		  struct err *err);

/* Records with names to keep (perf_data_write_names.c); none without names. */
int writer_put_names(struct perf_data_writer *writer, const void *names, size_t len,
		     struct err *err);

/* Pipe mode (perf_data_write_pipe.c). */
int writer_start_pipe(struct perf_data_writer *writer, struct err *err);
int writer_finish_pipe(struct perf_data_writer *writer, const struct perf_data_summary *summary,
		       struct err *err);
/* Appends BUILD_ID records of the summary. */
int writer_append_build_ids(const struct perf_data_writer *writer,
			    const struct perf_data_summary *summary, struct buf *ret,
			    struct err *err);

#endif
