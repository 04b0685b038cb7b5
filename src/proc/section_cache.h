/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacked debug sections, kept for later runs in the user's cache. Debug files of distributions
 * are compressed, and every process that looks for one line has to unpack megabytes: most of what a
 * short recording costs at its end.
 *
 * What is kept is an ELF file with these sections only. Its name has device, inode, size and both
 * times of the file that they are from, so another file, also one with the same build id, never
 * answers for it. The owner of a file can set its time of change, but not that of its status: bytes
 * that were put in its place later have another name. Files that changed within a day are not kept:
 * they are built anew soon.
 *
 * The process that unpacks may be one that cannot create files. It writes to an unnamed file, and
 * the one that opened the cache stores from there. What it finds in the cache is no input of its
 * memory limit: packed, it already was one. */
#ifndef PROC_SECTION_CACHE_H
#define PROC_SECTION_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct section_cache;

/* One that was unpacked. */
struct unpacked_section {
	const char *name;
	const uint8_t *data;
	size_t len;
};

/* What a process put, in values that can be sent to the one that stores it. */
#define SECTION_CACHE_MOST 4
#define SECTION_CACHE_NAME 96
struct section_cache_made {
	uint64_t count;
	struct {
		char name[SECTION_CACHE_NAME];
		uint64_t offset, len; /* in the unnamed file */
	} item[SECTION_CACHE_MOST];
};

/* folder NULL: the user's cache. cap_bytes 0: 256 MiB. Returns NULL if the folder does not exist
 * and cannot be created: then nothing is kept. To be opened before the other process is forked. */
struct section_cache *section_cache_open(const char *folder, uint64_t cap_bytes);
void section_cache_close(struct section_cache *cache); /* NULL is fine */

/* The kept sections of a file, to be closed by the caller, or NULL. Thread-safe, as is put(). A
 * cache that is NULL has none. */
struct elf_file *section_cache_get(const struct section_cache *cache, const struct elf_file *elf);
/* Offers the sections of a file. They are left out if they are too small or large, or too many. */
void section_cache_put(struct section_cache *cache, const struct elf_file *elf,
		       const struct unpacked_section *section, size_t count);
/* All that was put. */
void section_cache_made(const struct section_cache *cache, struct section_cache_made *ret);
/* Stores what was put, by a process that has ended. Its values are checked. Errors are not
 * reported: they only cost time later. */
void section_cache_store(const struct section_cache *cache, const struct section_cache_made *made);

#endif
