/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a part (see part_file.h). */
#include "store/segment/part_file.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/dictionary.h"
#include "store/segment/bytes.h"
#include "store/segment/part.h"
#include "store/segment/received.h"

#define LEVEL		   3
#define DICTIONARY_MAX_RAW ((size_t)256 << 20)
#define LOG_PREFIX	   "wal."
#define LOG_MAX_BYTES	   ((size_t)1 << 30)
#define WRITTEN		   "written"
#define SYNCED		   "synced"
#define SYNCED_CHECK	   0x63757065736e6364u

/* Blocks of checkpoints that earlier blocks have are copies, as of a file that was restored onto
 * its own end: they are passed over, as damaged ones are. Long blocks are of several chunks. */
static void drop_copies(struct chunk_list *list)
{
	const struct chunk_head *last = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < list->chunks.count; i++) {
		const struct chunk_head *head = &list->chunks.item[i].head;
		bool goes_on = last && last->more == head->more + 1 &&
			       last->first_seq == head->first_seq &&
			       last->last_seq == head->last_seq;

		if (head->kind == CHUNK_BLOCK && last && head->first_seq <= last->last_seq &&
		    !goes_on) {
			list->damaged++;
			continue;
		}
		list->chunks.item[kept++] = list->chunks.item[i];
		if (head->kind == CHUNK_BLOCK)
			last = &list->chunks.item[kept - 1].head;
	}
	list->chunks.count = kept;
}

static int read_map(int fd, const char *name, struct part_map *ret, struct err *err)
{
	int code = file_map_fd(fd, &ret->file, err);

	if (code)
		return err_wrap(err, "%s", name);
	chunk_list_read(&ret->list, ret->file.data, ret->file.len);
	return 0;
}

int part_map_open(int folder, const char *name, struct part_map *ret, struct err *err)
{
	AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	*ret = (struct part_map){ 0 };
	if (fd < 0)
		return errno == ENOENT ? 0 : err_errno(err, "%s", name);
	if (read_map(fd, name, ret, err))
		return err->code;
	drop_copies(&ret->list);
	return 0;
}

void part_map_close(struct part_map *map)
{
	chunk_list_done(&map->list);
	if (map->file.data)
		file_map_close(&map->file);
}

int part_file_open(int folder, const char *name, struct part_file *ret, struct part_map *ret_map,
		   struct err *err)
{
	*ret_map = (struct part_map){ 0 };
	*ret = (struct part_file){ .fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC) };
	if (ret->fd < 0)
		return errno == ENOENT ? 0 : err_errno(err, "%s", name);
	if (read_map(ret->fd, name, ret_map, err))
		goto fail;
	ret->bytes = ret_map->list.whole_bytes;
	ret->last_seq = ret_map->list.last_seq;
	ret->cut = ret->bytes < ret_map->file.len;
	if (ret->cut && ftruncate(ret->fd, (off_t)ret->bytes)) {
		(void)err_errno(err, "%s", name);
		part_map_close(ret_map);
		goto fail;
	}
	return 0;
fail:
	fd_close(&ret->fd);
	ret->fd = -1;
	return err->code;
}

static int write_at(int fd, const struct buf *data, uint64_t at)
{
	for (size_t done = 0; done < data->len;) {
		ssize_t n = pwrite(fd, data->data + done, data->len - done, (off_t)(at + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

void part_file_take_back(struct part_file *file, uint64_t bytes)
{
	/* If that fails, the next bytes overwrite it, or who opens it cuts it. */
	int ignored = ftruncate(file->fd, (off_t)bytes);

	(void)ignored;
	file->bytes = bytes;
}

int part_file_append(int folder, const char *name, struct part_file *file, const struct buf *data,
		     struct err *err)
{
	int code;

	if (file->fd < 0)
		file->fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file->fd < 0)
		return err_errno(err, "%s", name);
	code = write_at(file->fd, data, file->bytes);
	if (code) {
		part_file_take_back(file, file->bytes);
		return err_set(err, code, "%s: %s", name, strerror(-code));
	}
	file->bytes += data->len;
	return 0;
}

uint64_t part_written(int folder)
{
	AUTO_CLOSE int fd = openat(folder, WRITTEN, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	uint64_t seq = 0;

	if (fd < 0 || read(fd, &seq, sizeof(seq)) != (ssize_t)sizeof(seq))
		return 0;
	return le64toh(seq);
}

int part_note_written(int folder, uint64_t seq)
{
	AUTO_CLOSE int fd =
		openat(folder, WRITTEN, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	uint64_t little = htole64(seq);

	if (fd < 0 || pwrite(fd, &little, sizeof(little), 0) != (ssize_t)sizeof(little))
		return errno ? -errno : -EIO;
	return 0;
}

struct part_synced part_synced(int folder)
{
	AUTO_CLOSE int fd = openat(folder, SYNCED, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	uint64_t in[3];

	if (fd < 0 || read(fd, in, sizeof(in)) != (ssize_t)sizeof(in) ||
	    (le64toh(in[0]) ^ le64toh(in[1]) ^ SYNCED_CHECK) != le64toh(in[2]))
		return (struct part_synced){ 0, 0 }; /* or half of it was written */
	return (struct part_synced){ le64toh(in[0]), le64toh(in[1]) };
}

int part_note_synced(int folder, const struct part_synced *synced)
{
	AUTO_CLOSE int fd =
		openat(folder, SYNCED, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	const uint64_t out[3] = { htole64(synced->seq), htole64(synced->bytes),
				  htole64(synced->seq ^ synced->bytes ^ SYNCED_CHECK) };

	if (fd < 0 || pwrite(fd, out, sizeof(out), 0) != (ssize_t)sizeof(out))
		return errno ? -errno : -EIO;
	return 0;
}

void part_log_name(uint64_t seq, char ret[32])
{
	(void)snprintf(ret, 32, LOG_PREFIX "%llu", (unsigned long long)seq);
}

int part_log_read(int folder, uint64_t seq, struct buf *ret, struct err *err)
{
	struct buf data = { .limit = LOG_MAX_BYTES };
	char name[32], piece[16384];
	int code = 0;
	ssize_t n;

	part_log_name(seq, name);
	AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	while (!code && (n = fd < 0 ? -1 : read(fd, piece, sizeof(piece))))
		code = n < 0 ? -errno : buf_append(&data, piece, (size_t)n);
	if (code) {
		buf_done(&data);
		return err_set(err, code, "%s: %s", name, strerror(-code));
	}
	*ret = data;
	return 0;
}

static int compare_seq(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int part_logs_find(int folder, struct part_logs *ret, struct err *err)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		fd_close(&fd);
		return err_errno(err, "the logs of a part");
	}
	while ((entry = readdir(dir))) {
		const char *number = entry->d_name + strlen(LOG_PREFIX);
		char *end;
		uint64_t seq;

		if (strncmp(entry->d_name, LOG_PREFIX, strlen(LOG_PREFIX)) != 0 || *number < '0' ||
		    *number > '9')
			continue;
		seq = strtoull(number, &end, 10);
		if (!*end && seq && seq < UINT64_MAX)
			vec_push(&ret->seq, seq);
	}
	(void)closedir(dir);
	if (ret->seq.count)
		qsort(ret->seq.item, ret->seq.count, sizeof(*ret->seq.item), compare_seq);
	return 0;
}

void part_put_number(uint64_t number, struct buf *ret)
{
	const struct chunk_head head = { .kind = CHUNK_NUMBER, .more = 1 };
	uint64_t little = htole64(number);

	chunk_append(ret, &head, &little, sizeof(little));
}

static void take_numbers(const struct chunk_list *list, struct part_numbers *ret)
{
	for (size_t i = 0; i < list->chunks.count; i++) {
		const struct chunk *chunk = &list->chunks.item[i];
		uint64_t little;

		if (chunk->head.kind != CHUNK_NUMBER || chunk->head.body_bytes != sizeof(little))
			continue;
		memcpy(&little, chunk->body, sizeof(little));
		vec_push(&ret->number, le64toh(little));
	}
}

int part_numbers_of_logs(int folder, struct part_numbers *ret, struct err *err)
{
	struct part_logs logs = { 0 };
	int code = part_logs_find(folder, &logs, err);

	for (size_t i = 0; i < logs.seq.count && !code; i++) {
		struct chunk_list list = { 0 };
		struct buf data = { 0 };

		code = part_log_read(folder, logs.seq.item[i], &data, err);
		if (!code) {
			chunk_list_read(&list, (const uint8_t *)data.data, data.len);
			take_numbers(&list, ret);
			chunk_list_done(&list);
		}
		buf_done(&data);
		code = code == -ENOENT ? 0 : code; /* its checkpoint came meanwhile */
	}
	vec_done(&logs.seq);
	return code;
}

static int cut_torn_end(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size % (off_t)sizeof(uint64_t) == 0)
		return 0;
	return ftruncate(fd, st.st_size - st.st_size % (off_t)sizeof(uint64_t)) ? -errno : 0;
}

int part_numbers_keep(int store, const struct part_numbers *numbers, struct err *err)
{
	AUTO_CLOSE int fd = -1;
	AUTO_FREE uint64_t *little = NULL;
	size_t count = numbers->number.count;
	int code;

	if (!count)
		return 0;
	little = mem_alloc(count * sizeof(*little));
	for (size_t i = 0; i < count; i++)
		little[i] = htole64(numbers->number.item[i]);
	fd = openat(store, RECEIVED_FILE, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	code = fd < 0 ? -errno : cut_torn_end(fd);
	if (!code)
		code = fd_write_all(fd, little, count * sizeof(*little));
	if (!code && fdatasync(fd))
		code = -errno;
	return code ? err_set(err, code, RECEIVED_FILE ": %s", strerror(-code)) : 0;
}

void part_put_dictionary(const struct dictionary *dict, const struct dictionary_mark *since,
			 struct buf *ret)
{
	const struct chunk_head head = { .kind = CHUNK_DICTIONARY };
	struct buf raw = { 0 }, packed = { 0 };

	dictionary_write(dict, since, &raw);
	packed_append(&packed, raw.data, raw.len, LEVEL);
	chunk_append(ret, &head, packed.data, packed.len);
	buf_done(&raw);
	buf_done(&packed);
}

int part_read_dictionary(const struct chunk *chunk, struct dictionary *dict, struct err *err)
{
	struct bytes in = { chunk->body, chunk->body + chunk->head.body_bytes, false };
	struct buf raw = { 0 };
	int code = 0;

	if (chunk->head.kind != CHUNK_DICTIONARY)
		return err_set(err, -EBADMSG, "not a dictionary");
	code = packed_take(&in, DICTIONARY_MAX_RAW, &raw, err);
	if (!code)
		code = dictionary_read(dict, (const uint8_t *)raw.data, raw.len, err);
	buf_done(&raw);
	return code;
}
