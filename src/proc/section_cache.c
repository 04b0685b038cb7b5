/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of unpacked sections (see section_cache.h). */
#include "proc/section_cache.h"

#include <elf.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/user_cache.h"
#include "proc/elf_file.h"

#define DEFAULT_CAP ((uint64_t)256 << 20)
/* To unpack less takes no longer than to open a file. */
#define LEAST_BYTES ((size_t)128 << 10)
/* Of all that one process puts. */
#define MOST_BYTES  ((size_t)64 << 20)
#define MOST_FILE   (MOST_BYTES + (1 << 20)) /* with headers and gaps */
#define DAY_SECONDS 86400
#define ALIGNMENT   16u
#define SECTIONS    16 /* of one file */

static const char suffix[] = ".sections";

struct section_cache {
	int folder;
	int unnamed; /* -1 = nothing can be put */
	uint64_t cap_bytes;
	pthread_mutex_t lock;
	uint64_t used; /* bytes of the unnamed file */
	struct section_cache_made made;
};

struct section_cache *section_cache_open(const char *folder, uint64_t cap_bytes)
{
	struct section_cache *cache;
	int fd = user_cache_open(folder, "sections");

	if (fd < 0)
		return NULL;
	cache = mem_zalloc(sizeof(*cache));
	cache->folder = fd;
	cache->unnamed = memfd_create("sections", MFD_CLOEXEC);
	cache->cap_bytes = cap_bytes ? cap_bytes : DEFAULT_CAP;
	(void)pthread_mutex_init(&cache->lock, NULL); /* cannot fail with default attributes */
	return cache;
}

void section_cache_close(struct section_cache *cache)
{
	if (!cache)
		return;
	(void)close(cache->folder); /* only read */
	if (cache->unnamed >= 0)
		(void)close(cache->unnamed); /* not wanted any more */
	(void)pthread_mutex_destroy(&cache->lock);
	free(cache);
}

/* False: no file of this machine. */
static bool name_of(const struct elf_file *elf, char *ret, size_t size)
{
	const struct file_map *map = &elf->map;

	if (!map->data || !map->inode)
		return false;
	(void)snprintf(ret, size, "%" PRIx64 "-%" PRIx64 "-%zx-%" PRIx64 "-%" PRIx64 "%s",
		       (uint64_t)map->device, (uint64_t)map->inode, map->len,
		       (uint64_t)map->changed_ns, (uint64_t)map->status_ns, suffix);
	return true;
}

/* What was unpacked is no input of the memory limit. */
static bool map_whole(int fd, struct file_map *ret)
{
	struct stat st;
	void *data;

	if (fstat(fd, &st) || st.st_size <= 0 || (uint64_t)st.st_size > MOST_FILE)
		return false;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED)
		return false;
	*ret = (struct file_map){ .data = data, .len = (size_t)st.st_size };
	return true;
}

struct elf_file *section_cache_get(const struct section_cache *cache, const struct elf_file *elf)
{
	char name[SECTION_CACHE_NAME];
	struct err ignored = { 0 };
	struct elf_file *ret;
	struct file_map map;

	if (!cache || !name_of(elf, name, sizeof(name)))
		return NULL;
	AUTO_CLOSE int fd = user_cache_get(cache->folder, name);
	if (fd < 0 || !map_whole(fd, &map))
		return NULL;
	if (elf_file_parse(map.data, map.len, &ret, &ignored)) {
		file_map_close(&map);
		return NULL;
	}
	ret->map = map;
	return ret;
}

/* Whether it pays to keep them. */
static bool is_worth_it(const struct section_cache *cache, const struct elf_file *elf,
			const struct unpacked_section *section, size_t count)
{
	int64_t changed_s = elf->map.changed_ns / 1000000000;
	size_t total = 0;

	if (cache->made.count == SECTION_CACHE_MOST || count > SECTIONS ||
	    time(NULL) - changed_s < DAY_SECONDS)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (section[i].len > MOST_BYTES)
			return false;
		total += section[i].len;
	}
	return total >= LEAST_BYTES && cache->used + total <= MOST_BYTES;
}

/* The parts of the file that is kept: headers first, then the names, then the contents. */
struct image {
	Elf64_Ehdr head;
	Elf64_Shdr section[SECTIONS + 2]; /* [0] is the null section, [1] has the names */
};

static uint64_t align(uint64_t offset)
{
	return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Returns the length of the whole file. */
static uint64_t make_image(const struct unpacked_section *section, size_t count, struct image *ret,
			   struct buf *names)
{
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	uint64_t end;

	*ret = (struct image){
		.head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				       little ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_version = EV_CURRENT,
			  .e_shoff = offsetof(struct image, section),
			  .e_ehsize = sizeof(ret->head),
			  .e_shentsize = sizeof(ret->section[0]),
			  .e_shnum = (Elf64_Half)(count + 2),
			  .e_shstrndx = 1 },
	};
	(void)buf_append(names, "", 1); /* far below the limit of a buf, as all below */
	for (size_t i = 0; i < count; i++) {
		ret->section[i + 2].sh_name = (Elf64_Word)names->len;
		(void)buf_append(names, section[i].name, strlen(section[i].name) + 1);
	}
	ret->section[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
					.sh_offset = sizeof(*ret),
					.sh_size = names->len };
	end = sizeof(*ret) + names->len;
	for (size_t i = 0; i < count; i++) {
		Elf64_Shdr *header = &ret->section[i + 2];

		header->sh_type = SHT_PROGBITS;
		header->sh_offset = align(end);
		header->sh_size = section[i].len;
		end = header->sh_offset + header->sh_size;
	}
	return align(end);
}

/* Fills the gap before what begins at a multiple, too. */
static bool append(int fd, const void *data, size_t len)
{
	static const char gap[ALIGNMENT];

	return !fd_write_all(fd, data, len) && !fd_write_all(fd, gap, align(len) - len);
}

/* The lock is held. */
static bool write_image(const struct section_cache *cache, const struct unpacked_section *section,
			size_t count, uint64_t *ret_len)
{
	struct image image;
	struct buf names = { 0 };
	bool good;

	*ret_len = make_image(section, count, &image, &names);
	good = !fd_write_all(cache->unnamed, &image, sizeof(image)) &&
	       append(cache->unnamed, names.data, names.len);
	for (size_t i = 0; i < count && good; i++)
		good = append(cache->unnamed, section[i].data, section[i].len);
	buf_done(&names);
	return good;
}
_Static_assert(sizeof(struct image) % ALIGNMENT == 0, "what follows is aligned");

void section_cache_put(struct section_cache *cache, const struct elf_file *elf,
		       const struct unpacked_section *section, size_t count)
{
	char name[SECTION_CACHE_NAME];
	uint64_t len;

	if (!cache || !name_of(elf, name, sizeof(name)))
		return;
	(void)pthread_mutex_lock(&cache->lock); /* cannot fail: not recursive */
	if (cache->unnamed >= 0 && is_worth_it(cache, elf, section, count)) {
		if (write_image(cache, section, count, &len)) {
			size_t i = cache->made.count++;

			memcpy(cache->made.item[i].name, name, sizeof(name));
			cache->made.item[i].offset = cache->used;
			cache->made.item[i].len = len;
			cache->used += len;
		} else { /* where the next one would begin is not known */
			(void)close(cache->unnamed);
			cache->unnamed = -1;
		}
	}
	(void)pthread_mutex_unlock(&cache->lock);
}

void section_cache_made(const struct section_cache *cache, struct section_cache_made *ret)
{
	*ret = (struct section_cache_made){ 0 };
	if (cache)
		*ret = cache->made;
}

static bool is_name(const char *name)
{
	size_t len = strnlen(name, SECTION_CACHE_NAME), digits;

	if (len == SECTION_CACHE_NAME)
		return false;
	digits = strspn(name, "0123456789abcdef-");
	return digits && strcmp(name + digits, suffix) == 0;
}

void section_cache_store(const struct section_cache *cache, const struct section_cache_made *made)
{
	struct file_map map;

	if (!cache || cache->unnamed < 0 || !made->count || made->count > SECTION_CACHE_MOST ||
	    !map_whole(cache->unnamed, &map))
		return;
	for (size_t i = 0; i < made->count; i++) {
		uint64_t offset = made->item[i].offset, len = made->item[i].len;

		if (is_name(made->item[i].name) && offset <= map.len && len <= map.len - offset)
			(void)user_cache_put(cache->folder, made->item[i].name, map.data + offset,
					     len);
	}
	file_map_close(&map);
	(void)user_cache_trim(cache->folder, suffix, cache->cap_bytes);
}
