/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening and finding them (see record_files.h). */
#include "session/record/record_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "proc/elf_file.h"

#define MOST_FILES 1024
#define MOST_KNOWN 65536 /* bounds memory on a hostile machine */
#define SPARE	   64	 /* descriptors for everything else */

/* The record up to the path. */
struct mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, ino_generation;
		};
		struct {
			uint8_t build_id_len, pad[3], build_id[20];
		};
	};
	uint32_t prot, flags;
	char path[];
};

static struct bundled_file find(const struct module_bundle *bundle, const struct build_id *id,
				const char *path, const char *file);

void record_files_init(struct record_files *files)
{
	struct rlimit limit;

	*files = (struct record_files){ .most = MOST_FILES, .least_closed = INT_MAX };
	files->bundle = (struct module_bundle){ .find = find, .context = files, .last = true };
	(void)pthread_mutex_init(&files->lock, NULL); /* cannot fail with default attributes */
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < INT_MAX)
		files->least_closed = (int)limit.rlim_cur - SPARE;
}

/* The path leads through folders that others may change: to no other root, and to no device. */
static int open_below(const char *root, const char *path)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
				      .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	AUTO_CLOSE int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return folder < 0 ? -1 : (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

/* A regular file to read, whatever became of its name. */
static int open_regular(int found)
{
	char path[64];
	struct stat st;
	int fd;

	if (found < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = fstat(found, &st) || !S_ISREG(st.st_mode) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	(void)close(found); /* a name only */
	return fd;
}

static int open_file(const struct event *event)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%u/root", event->pid);
	fd = open_regular(open_below(path, event->mmap.path));
	if (fd >= 0)
		return fd;
	(void)snprintf(path, sizeof(path), "/proc/%u/map_files/%jx-%jx", event->pid,
		       (uintmax_t)event->mmap.start,
		       (uintmax_t)(event->mmap.start + event->mmap.len));
	return open_regular(open(path, O_PATH | O_CLOEXEC));
}

void record_files_event(struct record_files *files, const struct event *event)
{
	const struct event_mmap *map = &event->mmap;
	struct record_file file = { .fd = -1 };
	uint64_t key;
	bool added;

	if (event->type != EVENT_MMAP || !(map->prot & PROT_EXEC) || map->path[0] != '/' ||
	    map->path[1] == '/' || (int32_t)event->pid <= 0 || files->file.count >= files->most ||
	    files->known.count >= MOST_KNOWN)
		return;
	key = hash_bytes(map->path, strlen(map->path)) ^
	      hash_u64(map->build_id.len ? hash_bytes(map->build_id.bytes, map->build_id.len)
					 : map->ino ^ (uint64_t)map->maj << 32 ^ map->min);
	(void)map_add(&files->known, key, &added);
	if (!added)
		return;
	file.fd = open_file(event);
	if (file.fd >= files->least_closed) {
		(void)close(file.fd); /* only opened */
		files->most = 0;
		return;
	}
	if (file.fd < 0)
		return; /* the process has ended, or the file is not ours to read */
	file.path = arena_strdup(&files->arena, map->path);
	file.build_id = map->build_id;
	vec_push(&files->file, file);
}

void record_files_records(struct record_files *files, const uint8_t *data, size_t len)
{
	for (size_t at = 0; at + sizeof(struct perf_event_header) <= len;) {
		const struct perf_event_header *header = (const void *)(data + at);
		const struct mmap2 *map = (const void *)header;
		struct event event = { .type = EVENT_MMAP };

		if (header->size < sizeof(*header) || header->size > len - at)
			return;
		at += header->size;
		if (header->type != PERF_RECORD_MMAP2 || header->size <= sizeof(*map) ||
		    !memchr(map->path, 0, header->size - sizeof(*map)))
			continue;
		event.pid = map->pid;
		event.mmap.start = map->addr;
		event.mmap.len = map->len;
		event.mmap.prot = map->prot;
		event.mmap.path = map->path;
		if (!(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
			event.mmap.maj = map->maj;
			event.mmap.min = map->min;
			event.mmap.ino = map->ino;
		} else if (map->build_id_len <= sizeof(map->build_id)) {
			event.mmap.build_id.len = map->build_id_len;
			memcpy(event.mmap.build_id.bytes, map->build_id, map->build_id_len);
		}
		record_files_event(files, &event);
	}
}

/* Without a build id the path must be that of one file only. */
static struct record_file *find_file(struct record_files *files, const struct build_id *id,
				     const char *path)
{
	struct record_file *found = NULL;

	for (size_t i = 0; i < files->file.count; i++) {
		struct record_file *file = &files->file.item[i];

		if (id->len ? !build_id_equal(id, &file->build_id) : strcmp(path, file->path) != 0)
			continue;
		if (id->len)
			return file;
		if (found)
			return NULL;
		found = file;
	}
	return found;
}

static struct bundled_file find(const struct module_bundle *bundle, const struct build_id *id,
				const char *path, const char *file)
{
	struct record_files *files = (struct record_files *)(uintptr_t)bundle->context;
	struct bundled_file ret = { 0 };
	struct record_file *found = NULL;
	struct err ignored = { 0 }; /* as if it were not there */

	(void)pthread_mutex_lock(&files->lock);
	if (strcmp(file, "elf") == 0)
		found = find_file(files, id, path);
	if (found && (found->map.data || !file_map_fd(found->fd, &found->map, &ignored)))
		ret = (struct bundled_file){ found->map.data, found->map.len };
	(void)pthread_mutex_unlock(&files->lock);
	return ret;
}

void record_files_done(struct record_files *files)
{
	for (size_t i = 0; i < files->file.count; i++) {
		file_map_close(&files->file.item[i].map);
		(void)close(files->file.item[i].fd); /* only read */
	}
	vec_done(&files->file);
	map_done(&files->known);
	arena_done(&files->arena);
	(void)pthread_mutex_destroy(&files->lock);
}
