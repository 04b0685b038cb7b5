/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of ELF files by pread(2) (see build_id.h): program headers first, then, for files without
 * any (object files such as kernel modules), section headers. */
#include "proc/build_id.h"

#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "proc/elf_file.h"

#define HEADERS_MAX 4096 /* headers looked at */
#define NOTES_MAX   ((size_t)64 << 10)

/* The start of a file, where headers and the note nearly always are, and what matters of the ELF
 * header, for both classes. */
struct elf_start {
	int fd;
	size_t head_len;
	uint8_t head[2048];
	bool is_64, swap;
	uint64_t segments, sections; /* offsets of the tables */
	uint16_t segment_bytes, segment_count, section_bytes, section_count;
};

static uint64_t number(const void *at, size_t bytes, bool swap)
{
	uint16_t half;
	uint32_t word;
	uint64_t twice;

	switch (bytes) {
	case 2:
		memcpy(&half, at, sizeof(half));
		return swap ? __builtin_bswap16(half) : half;
	case 4:
		memcpy(&word, at, sizeof(word));
		return swap ? __builtin_bswap32(word) : word;
	default:
		memcpy(&twice, at, sizeof(twice));
		return swap ? __builtin_bswap64(twice) : twice;
	}
}

#define FIELD(base, swap, type, name) \
	number((const uint8_t *)(base) + offsetof(type, name), sizeof(((type *)0)->name), swap)
#define EITHER(start, base, name32, name64, member)                  \
	((start)->is_64 ? FIELD(base, (start)->swap, name64, member) \
			: FIELD(base, (start)->swap, name32, member))

static bool read_at(const struct elf_start *start, void *data, size_t len, uint64_t offset)
{
	if (offset <= start->head_len && len <= start->head_len - offset) {
		memcpy(data, start->head + offset, len);
		return true;
	}
	return offset <= INT64_MAX && pread(start->fd, data, len, (off_t)offset) == (ssize_t)len;
}

static bool read_start(int fd, struct elf_start *ret)
{
	ssize_t n = pread(fd, ret->head, sizeof(ret->head), 0);
	const uint8_t *head = ret->head;

	if (n < (ssize_t)sizeof(Elf32_Ehdr) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return false;
	ret->fd = fd;
	ret->head_len = (size_t)n;
	ret->is_64 = head[EI_CLASS] == ELFCLASS64;
	if (ret->is_64 && n < (ssize_t)sizeof(Elf64_Ehdr))
		return false;
	ret->swap = (head[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER == __BIG_ENDIAN);
	ret->segments = EITHER(ret, head, Elf32_Ehdr, Elf64_Ehdr, e_phoff);
	ret->segment_bytes = (uint16_t)EITHER(ret, head, Elf32_Ehdr, Elf64_Ehdr, e_phentsize);
	ret->segment_count = (uint16_t)EITHER(ret, head, Elf32_Ehdr, Elf64_Ehdr, e_phnum);
	ret->sections = EITHER(ret, head, Elf32_Ehdr, Elf64_Ehdr, e_shoff);
	ret->section_bytes = (uint16_t)EITHER(ret, head, Elf32_Ehdr, Elf64_Ehdr, e_shentsize);
	ret->section_count = (uint16_t)EITHER(ret, head, Elf32_Ehdr, Elf64_Ehdr, e_shnum);
	return true;
}

static bool read_notes(const struct elf_start *start, uint64_t offset, uint64_t len,
		       struct build_id *ret)
{
	uint8_t near[512]; /* room for the usual notes */
	uint8_t *data = near;
	bool found;

	if (!len || len > NOTES_MAX)
		return false;
	if (len > sizeof(near))
		data = mem_alloc(len);
	found = read_at(start, data, len, offset) &&
		elf_notes_build_id(data, len, start->swap, ret);
	if (data != near)
		free(data);
	return found;
}

static bool in_segments(const struct elf_start *start, struct build_id *ret)
{
	size_t size = start->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint8_t header[sizeof(Elf64_Phdr)];

	if (start->segment_bytes < size || start->segment_count > HEADERS_MAX)
		return false;
	for (unsigned i = 0; i < start->segment_count; i++) {
		uint64_t at = start->segments + (uint64_t)i * start->segment_bytes;

		if (!read_at(start, header, size, at))
			return false;
		if (EITHER(start, header, Elf32_Phdr, Elf64_Phdr, p_type) == PT_NOTE &&
		    read_notes(start, EITHER(start, header, Elf32_Phdr, Elf64_Phdr, p_offset),
			       EITHER(start, header, Elf32_Phdr, Elf64_Phdr, p_filesz), ret))
			return true;
	}
	return false;
}

static bool in_sections(const struct elf_start *start, struct build_id *ret)
{
	size_t size = start->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint8_t header[sizeof(Elf64_Shdr)];

	if (start->section_bytes < size || start->section_count > HEADERS_MAX)
		return false;
	for (unsigned i = 0; i < start->section_count; i++) {
		uint64_t at = start->sections + (uint64_t)i * start->section_bytes;

		if (!read_at(start, header, size, at))
			return false;
		if (EITHER(start, header, Elf32_Shdr, Elf64_Shdr, sh_type) == SHT_NOTE &&
		    read_notes(start, EITHER(start, header, Elf32_Shdr, Elf64_Shdr, sh_offset),
			       EITHER(start, header, Elf32_Shdr, Elf64_Shdr, sh_size), ret))
			return true;
	}
	return false;
}

bool build_id_read_fd(int fd, struct build_id *ret)
{
	struct elf_start start;

	return read_start(fd, &start) && (in_segments(&start, ret) || in_sections(&start, ret));
}

bool build_id_read_file(const char *path, struct build_id *ret)
{
	struct stat st;

	/* opening a device can have side effects */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	return fd >= 0 && build_id_read_fd(fd, ret);
}

bool build_id_read_kernel(const char *root, const char *module, struct build_id *ret)
{
	struct buf notes = { .limit = NOTES_MAX };
	struct err ignored;
	char path[PATH_MAX];
	bool found;
	int n = module ? snprintf(path, sizeof(path), "%s/sys/module/%s/notes/.note.gnu.build-id",
				  root, module)
		       : snprintf(path, sizeof(path), "%s/sys/kernel/notes", root);

	found = n < (int)sizeof(path) && fd_read_file(path, &notes, &ignored) == 0 && notes.len &&
		elf_notes_build_id((const uint8_t *)notes.data, notes.len, false, ret);
	buf_done(&notes);
	return found;
}
