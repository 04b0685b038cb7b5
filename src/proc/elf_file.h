/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files, mapped and checked: headers are read once with every bound verified, in either byte
 * order and class, and handed out as host-endian arrays. Contents come as (pointer, length) pairs
 * that never leave the file. A part with an invalid header is absent, not an error. Immutable after
 * open, so it may be shared between threads.
 *
 * Why not libelf: its handles are changed by reading, so each thread would need its own, and it
 * hands out one header a call. Time does not decide: to open a library, find its build id and
 * its .eh_frame took 24.6 µs of CPU here and 22.9 µs with libelf 0.188, on average of 892
 * libraries. */
#ifndef PROC_ELF_FILE_H
#define PROC_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fd.h"
#include "event/event.h"

struct err;
struct module_bundle;

struct elf_segment {
	uint32_t type, flags; /* PT_*, PF_* */
	uint64_t offset, vaddr, file_bytes, memory_bytes;
};

struct elf_section {
	const char *name; /* "" when the name table is broken */
	uint32_t type, link, info;
	uint64_t flags, addr, offset, size, entry_bytes;
};

struct elf_file {
	const uint8_t *data;
	size_t len;
	const char *path;		    /* as opened; "" for memory */
	const struct module_bundle *bundle; /* that it came from; NULL = a file of this machine */
	size_t root_len;  /* bytes of path that are a foreign root ("/proc/7/root", a symfs) */
	bool is_64, swap; /* swap: the file's byte order is not the host's */
	uint16_t type, machine; /* ET_*, EM_* */
	uint64_t entry;
	struct build_id build_id; /* len 0 = none */
	size_t segment_count, section_count;
	struct elf_segment *segment; /* all program headers */
	struct elf_section *section; /* index = ELF section index; [0] is the null section */

	struct file_map map; /* owned backing, whichever is set */
	void *heap;
	_Atomic unsigned others; /* owners but the first */
};

/* Opens and checks a file. Returns -ENOEXEC if it is not an ELF file, else -errno of open(2) or
 * mmap(2). */
int elf_file_open(const char *path, struct elf_file **ret, struct err *err);
/* The same from memory that stays the caller's. */
int elf_file_parse(const void *data, size_t len, struct elf_file **ret, struct err *err);
/* The same from malloc'd memory, which becomes the elf_file's (freed on failure too). */
int elf_file_adopt(void *data, size_t len, struct elf_file **ret, struct err *err);
/* Adds a reference, which must be closed as well. */
struct elf_file *elf_file_ref(struct elf_file *elf);
void elf_file_close(struct elf_file *elf); /* NULL is fine */
/* Whether the end is missing: headers name loaded bytes, or a table of sections, behind it. */
bool elf_file_is_cut(const struct elf_file *elf);
/* Whether both are maps of one file. */
bool elf_file_same(const struct elf_file *a, const struct elf_file *b);
/* Releases the pages read so far to the page cache; later accesses map them again. */
void elf_file_forget(const struct elf_file *elf); /* NULL is fine */

/* First section of that name, or NULL. */
const struct elf_section *elf_file_section(const struct elf_file *elf, const char *name);
/* Bytes of a section as they lie in the file; false for NOBITS and for ranges outside the file.
 * SHF_COMPRESSED contents are not expanded. */
bool elf_section_data(const struct elf_file *elf, const struct elf_section *section,
		      const uint8_t **data, size_t *len);

/* Converts a file offset of an executable mapping to a virtual address as linked, by program
 * headers (executable PT_LOADs first, pages rounded as by the kernel), else by sections, else as
 * an elf_file_data_offset(). */
bool elf_file_vaddr(const struct elf_file *elf, uint64_t offset, uint64_t *ret);
/* The reverse: where the bytes of a linked address lie in the file (false for .bss). */
bool elf_file_offset(const struct elf_file *elf, uint64_t vaddr, uint64_t *ret);
/* The same for .bss, too, which has no bytes in the file: offsets there go on where those of its
 * segment end. False where another segment has these offsets. */
bool elf_file_data_offset(const struct elf_file *elf, uint64_t vaddr, uint64_t *ret);
/* Bytes in the file from a linked address to the end of its segment's file part. */
bool elf_file_at(const struct elf_file *elf, uint64_t vaddr, const uint8_t **data, size_t *len);

/* Reads of the file's byte order at an unaligned place; the caller has checked the bounds. */
uint16_t elf_u16(const struct elf_file *elf, const uint8_t *p);
uint32_t elf_u32(const struct elf_file *elf, const uint8_t *p);
uint64_t elf_u64(const struct elf_file *elf, const uint8_t *p);
/* An address-sized word: 4 or 8 bytes by the file's class. */
uint64_t elf_word(const struct elf_file *elf, const uint8_t *p);

/* Looks for the GNU build id among ELF notes (also usable for /sys/kernel/notes). */
bool elf_notes_build_id(const uint8_t *data, size_t len, bool swap, struct build_id *ret);
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Lower-case hex; ret has room for 2 * BUILD_ID_MAX + 1 bytes. */
void build_id_hex(const struct build_id *id, char *ret);

#endif
