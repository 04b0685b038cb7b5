/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contents of ELF sections, unpacked when they are compressed: SHF_COMPRESSED with zlib or zstd,
 * and the older .zdebug_* sections. */
#ifndef PROC_ELF_UNPACK_H
#define PROC_ELF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct elf_section;

/* Returns 0; -ENODATA if the section has no bytes in the file; -EBADMSG if its compressed data is
 * damaged. *owned is NULL if the bytes are in the file; otherwise free() it. */
int elf_section_contents(const struct elf_file *elf, const struct elf_section *section,
			 const uint8_t **data, size_t *len, void **owned);
/* The size that a compressed section claims; false if it is not compressed, or damaged. */
bool elf_section_packed_size(const struct elf_file *elf, const struct elf_section *section,
			     uint64_t *ret);

#endif
