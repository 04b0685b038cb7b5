/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks compressed sections (see elf_unpack.h). Format: ELF gABI, chapter "Section Compression".
 */
#include "proc/elf_unpack.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory_limit.h"
#include "proc/elf_file.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

#define ZDEBUG_HEADER 12 /* "ZLIB" and the size, big-endian */

struct packed {
	uint32_t type; /* ELFCOMPRESS_* */
	uint64_t size; /* unpacked */
	const uint8_t *data;
	size_t len;
};

/* Whole sections at once, for which libdeflate takes less than half of zlib's time. */
static bool inflate_into(void *data, const struct packed *packed)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	enum libdeflate_result r = LIBDEFLATE_BAD_DATA;

	if (d) /* without this argument, fewer bytes than the size are an error as well */
		r = libdeflate_zlib_decompress(d, packed->data, packed->len, data, packed->size,
					       NULL);
	libdeflate_free_decompressor(d);
	return r == LIBDEFLATE_SUCCESS;
}

static void *unpack(const struct packed *packed)
{
	void *data;

	if (!packed->size || packed->size > memory_limit_unpacked(packed->len))
		return NULL;
	data = malloc(packed->size); /* a size from outside: too large is an error, not an abort */
	if (!data)
		return NULL;
	if (packed->type == ELFCOMPRESS_ZLIB) {
		if (inflate_into(data, packed))
			return data;
	} else if (packed->type == ELFCOMPRESS_ZSTD) {
		if (ZSTD_decompress(data, packed->size, packed->data, packed->len) == packed->size)
			return data;
	}
	free(data);
	return NULL;
}

static bool read_header(const struct elf_file *elf, const uint8_t *data, size_t len,
			struct packed *ret)
{
	size_t header = elf->is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);

	if (len < header)
		return false;
	*ret = (struct packed){ .type = elf_u32(elf, data),
				.size = elf_word(elf, data + (elf->is_64 ? 8 : 4)),
				.data = data + header,
				.len = len - header };
	return true;
}

static bool read_zdebug_header(const uint8_t *data, size_t len, struct packed *ret)
{
	uint64_t size;

	if (len < ZDEBUG_HEADER || memcmp(data, "ZLIB", 4))
		return false;
	memcpy(&size, data + 4, sizeof(size));
	*ret = (struct packed){ .type = ELFCOMPRESS_ZLIB,
				.size = __builtin_bswap64(size),
				.data = data + ZDEBUG_HEADER,
				.len = len - ZDEBUG_HEADER };
	return true;
}

static bool is_packed(const struct elf_section *section)
{
	return !strncmp(section->name, ".zdebug_", 8) || (section->flags & SHF_COMPRESSED);
}

/* Of a section that is_packed(). */
static bool read_any_header(const struct elf_file *elf, const struct elf_section *section,
			    const uint8_t *data, size_t len, struct packed *ret)
{
	if (!strncmp(section->name, ".zdebug_", 8))
		return read_zdebug_header(data, len, ret);
	return read_header(elf, data, len, ret);
}

bool elf_section_packed_size(const struct elf_file *elf, const struct elf_section *section,
			     uint64_t *ret)
{
	struct packed packed = { 0 };
	const uint8_t *raw;
	size_t raw_len;

	if (!is_packed(section) || !elf_section_data(elf, section, &raw, &raw_len) ||
	    !read_any_header(elf, section, raw, raw_len, &packed))
		return false;
	*ret = packed.size;
	return true;
}

int elf_section_contents(const struct elf_file *elf, const struct elf_section *section,
			 const uint8_t **data, size_t *len, void **owned)
{
	const uint8_t *raw;
	struct packed packed = { 0 };
	size_t raw_len;
	void *unpacked;

	if (!elf_section_data(elf, section, &raw, &raw_len))
		return -ENODATA;
	if (!is_packed(section)) {
		*data = raw;
		*len = raw_len;
		*owned = NULL;
		return 0;
	}
	if (!read_any_header(elf, section, raw, raw_len, &packed))
		return -EBADMSG;
	unpacked = unpack(&packed);
	if (!unpacked)
		return -EBADMSG;
	*data = *owned = unpacked;
	*len = packed.size;
	return 0;
}
