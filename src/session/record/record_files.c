/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening and finding them (see record_files.h). */
#include "session/record/record_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "event/perf_record.h"
#include "proc/build_id.h"
#include "proc/elf_file.h"
#include "proc/mapped_file.h"
#include "session/record/record_build_ids.h"

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

static int open_mapped(uint32_t pid, const struct event_mmap *map)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%u", pid);
	AUTO_CLOSE int process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return mapped_file_open(process, map);
}

static bool is_file_of_code(const struct event *event)
{
	const char *path = event->mmap.path;

	return event->type == EVENT_MMAP && event->mmap.prot & PROT_EXEC && path[0] == '/' &&
	       path[1] != '/' && (int32_t)event->pid > 0;
}

static uint64_t inode_key(const struct event_mmap *map)
{
	const uint64_t file[3] = { (uint64_t)map->maj << 32 | map->min, map->ino,
				   map->ino_generation };

	return hash_bytes(file, sizeof(file));
}

static struct file_state state_of(const struct stat *st)
{
	return (struct file_state){ (uint64_t)st->st_size,
				    st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec };
}

/* The file may be written to while it is not mapped. Where its path leads elsewhere, the process
 * has another view of files, and nothing is known. */
static bool is_unchanged(const struct known_file *known, const struct event_mmap *map)
{
	struct file_state state;
	struct stat st;

	if (!mapped_file_is_at_path(map, &st))
		return true;
	state = state_of(&st);
	return state.size == known->state.size && state.changed_ns == known->state.changed_ns;
}

/* In time since the epoch; 0 = not known. */
static int64_t mapped_ns(const struct record_files *files, const struct event *event)
{
	uint64_t age;

	if (!event->has_time || !files->clock.given)
		return 0;
	age = clock_ns(files->clock.id) - event->time_ns;
	return (int64_t)(clock_ns(CLOCK_REALTIME) - age);
}

/* Keeps the file open, for names, if that is asked for. */
static void keep(struct record_files *files, int fd, const char *path, const struct build_id *id)
{
	struct record_file file = { .fd = fd, .build_id = *id };

	if (!files->keep || files->file.count >= files->most) {
		(void)close(fd); /* only read */
		return;
	}
	if (fd >= files->least_closed) {
		(void)close(fd); /* only opened */
		files->most = 0;
		return;
	}
	file.path = arena_strdup(&files->arena, path);
	vec_push(&files->file, file);
}

/* Reads the build id of what was mapped. None when the file cannot be proven to be that one. */
static struct build_id read_build_id(struct record_files *files, const struct event *event)
{
	AUTO_CLOSE int fd = open_mapped(event->pid, &event->mmap);
	int64_t mapped = mapped_ns(files, event);
	struct build_id id = { 0 };
	struct known_file known;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return id;
	known.state = state_of(&st);
	if (mapped && known.state.changed_ns > mapped)
		return id;
	if (!build_id_read_fd(fd, &id))
		id = (struct build_id){ 0 };
	known.build_id = id;
	vec_push(&files->identity, known);
	map_set(&files->identities, inode_key(&event->mmap), files->identity.count);
	keep(files, take_fd(&fd), event->mmap.path, &id);
	return id;
}

static struct build_id build_id_of(struct record_files *files, const struct event *event)
{
	struct build_id none = { 0 };
	uint64_t place;

	if (!event->mmap.ino || files->identity.count >= MOST_KNOWN)
		return none;
	if (map_get(&files->identities, inode_key(&event->mmap), &place) &&
	    is_unchanged(&files->identity.item[place - 1], &event->mmap))
		return files->identity.item[place - 1].build_id;
	return read_build_id(files, event);
}

/* A file of a mapping that has a build id. */
static void keep_mapped(struct record_files *files, const struct event *event)
{
	const struct event_mmap *map = &event->mmap;
	uint64_t key;
	bool added;
	int fd;

	if (!files->keep || files->file.count >= files->most || files->known.count >= MOST_KNOWN)
		return;
	key = hash_bytes(map->path, strlen(map->path)) ^
	      hash_bytes(map->build_id.bytes, map->build_id.len);
	(void)map_add(&files->known, key, &added);
	fd = added ? open_mapped(event->pid, map) : -1;
	if (fd >= 0) /* else the process has ended, or the file is not ours to read */
		keep(files, fd, map->path, &map->build_id);
}

/* Gives a mapping its build id. */
static void look(struct record_files *files, struct event *event)
{
	if (!is_file_of_code(event))
		return;
	if (event->mmap.build_id.len)
		keep_mapped(files, event);
	else if (files->ids || files->keep)
		event->mmap.build_id = build_id_of(files, event);
}

void record_files_event(struct record_files *files, const struct event *event)
{
	struct event copy = *event;

	look(files, &copy);
}

static bool event_of(const struct record_files *files, const struct mmap2 *map, struct event *ret)
{
	const struct perf_event_header *header = &map->header;

	if (header->type != PERF_RECORD_MMAP2 || header->size <= sizeof(*map) ||
	    !memchr(map->path, 0, header->size - sizeof(*map)))
		return false;
	*ret = (struct event){ .type = EVENT_MMAP, .misc = header->misc, .pid = map->pid };
	ret->mmap = (struct event_mmap){
		.start = map->addr, .len = map->len, .prot = map->prot, .path = map->path
	};
	ret->has_time = perf_record_time(files->events, header, &ret->time_ns);
	if (!(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		ret->mmap.maj = map->maj;
		ret->mmap.min = map->min;
		ret->mmap.ino = map->ino;
		ret->mmap.ino_generation = map->ino_generation;
	} else if (map->build_id_len <= sizeof(map->build_id)) {
		ret->mmap.build_id.len = map->build_id_len;
		memcpy(ret->mmap.build_id.bytes, map->build_id, map->build_id_len);
	}
	return true;
}

static void put_build_id(struct mmap2 *map, const struct build_id *id)
{
	map->header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	map->build_id_len = id->len;
	memset(map->pad, 0, sizeof(map->pad));
	memset(map->build_id, 0, sizeof(map->build_id));
	memcpy(map->build_id, id->bytes, id->len);
}

void record_files_records(struct record_files *files, uint8_t *data, size_t len, bool new)
{
	bool no_marks = new && files->map_ids != RECORDING_MAP_IDS_KERNEL;
	struct event event;

	for (size_t at = 0; at + sizeof(struct perf_event_header) <= len;) {
		struct perf_event_header *header = (void *)(data + at);
		struct mmap2 *map = (void *)header;

		if (header->size < sizeof(*header) || header->size > len - at)
			return;
		at += header->size;
		/* made by the kernel because another session asked for build ids */
		if (no_marks && header->type == PERF_RECORD_MMAP2)
			header->misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
		if (!event_of(files, map, &event))
			continue;
		look(files, &event);
		if (!event.mmap.build_id.len || !files->ids)
			continue;
		record_build_ids_event(files->ids, &event);
		if (files->map_ids != RECORDING_MAP_IDS_NONE)
			put_build_id(map, &event.mmap.build_id);
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
	vec_done(&files->identity);
	map_done(&files->identities);
	map_done(&files->known);
	arena_done(&files->arena);
	(void)pthread_mutex_destroy(&files->lock);
}
