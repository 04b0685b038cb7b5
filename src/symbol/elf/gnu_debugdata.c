/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks .gnu_debugdata with liblzma (see gnu_debugdata.h). Convention: the GDB manual,
 * "Debugging information in a special section". */
#include "symbol/elf/gnu_debugdata.h"

#include <lzma.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/elf_file.h"

/* The real ones unpack to a few MB at most. */
#define MAX_UNPACKED   ((size_t)256 << 20)
#define MAX_LZMA_BYTES ((uint64_t)256 << 20) /* memory of the decoder itself */
#define FIRST_UNPACKED ((size_t)256 << 10)

static bool unpack_all(lzma_stream *stream, uint8_t **out, size_t *ret_len)
{
	size_t capacity = 0;

	for (;;) {
		lzma_ret status;

		if (stream->avail_out == 0) {
			size_t done = capacity;

			if (capacity == MAX_UNPACKED)
				return false;
			capacity = capacity ? 4 * capacity : FIRST_UNPACKED;
			if (capacity > MAX_UNPACKED)
				capacity = MAX_UNPACKED;
			*out = mem_realloc(*out, capacity);
			stream->next_out = *out + done;
			stream->avail_out = capacity - done;
		}
		status = lzma_code(stream, LZMA_FINISH);
		if (status == LZMA_STREAM_END) {
			*ret_len = capacity - stream->avail_out;
			return true;
		}
		if (status != LZMA_OK)
			return false;
	}
}

bool gnu_debugdata_unpack(const uint8_t *data, size_t len, struct elf_file **ret)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct err ignored = { 0 };
	uint8_t *out = NULL;
	size_t out_len;
	bool whole;

	if (lzma_stream_decoder(&stream, MAX_LZMA_BYTES, 0) != LZMA_OK)
		return false;
	stream.next_in = data;
	stream.avail_in = len;
	whole = unpack_all(&stream, &out, &out_len);
	lzma_end(&stream);
	if (!whole) {
		free(out);
		return false;
	}
	return elf_file_adopt(out, out_len, ret, &ignored) == 0;
}

bool gnu_debugdata_open(const struct elf_file *elf, struct elf_file **ret)
{
	const struct elf_section *section = elf_file_section(elf, ".gnu_debugdata");
	const uint8_t *data;
	size_t len;

	return section && elf_section_data(elf, section, &data, &len) &&
	       gnu_debugdata_unpack(data, len, ret);
}
