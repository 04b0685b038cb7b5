/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes names to keep as records (see perf_data_write.h). */
#include <stdint.h>

#include "base/err.h"
#include "format/perf_data/perf_data_write_private.h"

#define PIECE_MAX (PERF_RECORD_BYTES_MAX - PERF_DATA_NAMES_PREFIX)

static void start(struct perf_data_writer *writer, const char *magic, size_t number)
{
	const uint64_t entries = 0;
	uint32_t value = (uint32_t)number;

	writer_start_scratch(writer, RECORD_ID_INDEX);
	(void)buf_append(&writer->scratch, &entries, sizeof(entries)); /* small */
	(void)buf_puts(&writer->scratch, magic);
	(void)buf_append(&writer->scratch, &value, sizeof(value));
}

int writer_put_names(struct perf_data_writer *writer, const void *names, size_t len,
		     struct err *err)
{
	const char *at = names;
	size_t back = 0;

	if (!len || len > UINT32_MAX / 2)
		return 0;
	while (len) {
		size_t piece = len < PIECE_MAX ? len : PIECE_MAX;

		start(writer, PERF_DATA_NAMES_MAGIC, len);
		(void)buf_append(&writer->scratch, at, piece);
		if (writer_put_scratch(writer, err))
			return err->code;
		back += writer->scratch.len;
		at += piece;
		len -= piece;
	}
	if (writer->facts.pipe)
		return 0;
	start(writer, PERF_DATA_NAMES_END_MAGIC, back);
	return writer_put_scratch(writer, err);
}
