/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of unwind tables (see table_store.h). A file's time of change is when it was last
 * used, to a day. */
#include "session/unwind/table_store.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/user_cache.h"
#include "event/event.h"
#include "proc/elf_file.h"
#include "unwind/compact/compact.h"

#define DEFAULT_CAP ((uint64_t)256 << 20)
#define MAX_FILE    ((size_t)64 << 20)
#define DAY_SECONDS 86400

static const char suffix[] = ".unwind";

struct table_store {
	int folder;
	uint64_t cap_bytes;
	pthread_mutex_t lock;
	bool counted;	/* total is known */
	uint64_t total; /* bytes in the folder */
};

struct table_store *table_store_open(const char *folder, uint64_t cap_bytes)
{
	struct table_store *store;
	int fd = user_cache_open(folder, "unwind");

	if (fd < 0)
		return NULL;
	store = mem_zalloc(sizeof(*store));
	*store = (struct table_store){ .folder = fd,
				       .cap_bytes = cap_bytes ? cap_bytes : DEFAULT_CAP };
	(void)pthread_mutex_init(&store->lock, NULL); /* cannot fail with default attributes */
	return store;
}

void table_store_close(struct table_store *store)
{
	if (!store)
		return;
	(void)close(store->folder); /* only read */
	(void)pthread_mutex_destroy(&store->lock);
	free(store);
}

void table_store_key(const struct elf_file *elf, struct build_id *ret)
{
	const struct file_map *file = &elf->map;
	/* the size is mixed into the time: three words are one too many */
	uint64_t time_size = (uint64_t)file->changed_ns ^ (uint64_t)file->len << 40;
	uint64_t inode = file->inode;
	uint32_t device = (uint32_t)file->device;

	if (elf->build_id.len && (!file->owner || file->owner == geteuid())) {
		*ret = elf->build_id;
		return;
	}
	*ret = (struct build_id){ 0 };
	if (!file->data)
		return;
	memcpy(ret->bytes, &device, sizeof(device));
	memcpy(ret->bytes + 4, &inode, sizeof(inode));
	memcpy(ret->bytes + 12, &time_size, sizeof(time_size));
	ret->len = 20;
}

static void name_of(const struct build_id *id, char *ret, size_t size)
{
	char hex[2 * BUILD_ID_MAX + 1];

	build_id_hex(id, hex);
	(void)snprintf(ret, size, "%s%s", hex, suffix);
}

struct compact *table_store_get(struct table_store *store, const struct build_id *key)
{
	char name[2 * BUILD_ID_MAX + sizeof(suffix)];
	struct compact *ret = NULL;
	struct err ignored = { 0 };
	struct file_map map;
	struct stat st;

	if (!store || !key->len)
		return NULL;
	name_of(key, name, sizeof(name));
	AUTO_CLOSE int fd = user_cache_get(store->folder, name);
	if (fd < 0 || fstat(fd, &st) || (uint64_t)st.st_size > MAX_FILE ||
	    file_map_fd(fd, &map, &ignored))
		return NULL;
	if (compact_file_parse(map.data, map.len, key, &ret, &ignored))
		(void)unlinkat(store->folder, name, 0); /* it is made anew */
	else if (time(NULL) - st.st_mtime > DAY_SECONDS)
		(void)futimens(fd, NULL); /* without it the file only goes sooner */
	file_map_close(&map);
	return ret;
}

void table_store_put(struct table_store *store, const struct build_id *key,
		     const struct compact *table)
{
	char name[2 * BUILD_ID_MAX + sizeof(suffix)];
	struct buf file = { .limit = MAX_FILE };

	if (!store || !key->len)
		return;
	compact_file_write(table, key, &file);
	name_of(key, name, sizeof(name));
	(void)pthread_mutex_lock(&store->lock); /* cannot fail: not recursive */
	if (user_cache_put(store->folder, name, file.data, file.len))
		store->total += file.len;
	if (!store->counted || store->total > store->cap_bytes)
		store->total = user_cache_trim(store->folder, suffix, store->cap_bytes);
	store->counted = true;
	(void)pthread_mutex_unlock(&store->lock);
	buf_done(&file);
}
