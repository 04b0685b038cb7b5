/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of batches (see spool.h). */
#include "store/clickhouse/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "store/clickhouse/clickhouse.h"
#include "store/clickhouse/row_binary.h"

#define MAGIC	   0x3150534c4c505543u /* "CUPLLSP1" */
#define SUFFIX	   ".batch"
#define REFUSED	   ".refused"
#define NAME_BYTES 64
#define MOST_FILES 100000

struct names {
	VEC(char *) name;
};

void spool_write(const struct clickhouse_batch *batch, struct buf *ret)
{
	row_put(ret, MAGIC, 8);
	row_put(ret, batch->id, 8);
	row_put(ret, batch->day, 4);
	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++) {
		row_put(ret, batch->rows[i].len, 8);
		(void)buf_append(ret, batch->rows[i].data, batch->rows[i].len);
	}
	row_put(ret, hash_bytes(ret->data, ret->len), 8);
}

bool spool_read(const void *data, size_t len, struct clickhouse_batch *ret)
{
	struct row_reader in = { data, (const uint8_t *)data + len, len < 16 };
	struct row_reader end = { (const uint8_t *)data + len - 8, in.end, false };

	*ret = (struct clickhouse_batch){ 0 };
	if (in.failed || row_take(&in, 8) != MAGIC ||
	    row_take(&end, 8) != hash_bytes(data, len - 8))
		return false;
	in.end -= 8;
	ret->id = row_take(&in, 8);
	ret->day = (uint32_t)row_take(&in, 4);
	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++) {
		uint64_t bytes = row_take(&in, 8);

		if (in.failed || bytes > (uint64_t)(in.end - in.at))
			return false;
		(void)buf_append(&ret->rows[i], in.at, (size_t)bytes);
		in.at += bytes;
	}
	return in.at == in.end;
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), tail = strlen(suffix);

	return len > tail && strcmp(name + len - tail, suffix) == 0;
}

static int open_folder(const struct clickhouse *store, struct err *err)
{
	int fd;

	if (mkdir(store->spool, 0700) && errno != EEXIST)
		return err_errno(err, "%s", store->spool);
	fd = open(store->spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? err_errno(err, "%s", store->spool) : fd;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order in which they were written. */
static int list(int folder, const char *suffix, struct names *ret, uint64_t *ret_bytes)
{
	int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;
	struct stat st;

	*ret_bytes = 0;
	if (!dir)
		return -errno;
	while ((entry = readdir(dir)) && ret->name.count < MOST_FILES) {
		if (!ends_with(entry->d_name, suffix) ||
		    fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		vec_push(&ret->name, mem_strdup(entry->d_name));
		*ret_bytes += (uint64_t)st.st_size;
	}
	(void)closedir(dir);
	if (ret->name.count)
		qsort(ret->name.item, ret->name.count, sizeof(*ret->name.item), compare_names);
	return 0;
}

static void names_done(struct names *names)
{
	for (size_t i = 0; i < names->name.count; i++)
		free(names->name.item[i]);
	vec_done(&names->name);
}

static int write_file(int folder, const char *name, const struct buf *data)
{
	char temporary[NAME_BYTES + 8];
	int fd, code;

	(void)snprintf(temporary, sizeof(temporary), "%s.new", name);
	fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	code = fd_write_all(fd, data->data, data->len);
	if (!code && fsync(fd))
		code = -errno;
	if (close(fd) && !code)
		code = -errno;
	if (!code && (renameat(folder, temporary, folder, name) || fsync(folder)))
		code = -errno;
	if (code)
		(void)unlinkat(folder, temporary, 0);
	return code;
}

int spool_put(const struct clickhouse *store, const struct clickhouse_batch *batch, struct err *err)
{
	AUTO_CLOSE int folder = open_folder(store, err);
	struct names names = { 0 };
	struct buf data = { 0 };
	char name[NAME_BYTES];
	uint64_t bytes = 0;
	int code;

	if (folder < 0)
		return folder;
	spool_write(batch, &data);
	code = list(folder, SUFFIX, &names, &bytes);
	names_done(&names);
	if (!code && bytes + data.len > SPOOL_MAX_BYTES)
		code = -ENOSPC;
	(void)snprintf(name, sizeof(name), "%020" PRIu64 "-%016" PRIx64 SUFFIX,
		       clock_ns(CLOCK_REALTIME), batch->id);
	if (!code)
		code = write_file(folder, name, &data);
	buf_done(&data);
	if (code == -ENOSPC)
		return err_set(err, code, "%s: no room for more batches until the server is back",
			       store->spool);
	return code ? err_set(err, code, "%s: %s", store->spool, strerror(-code)) : 0;
}

/* What is damaged or refused stays, under another name, and is not tried again. */
static int send_file(struct clickhouse *store, int folder, const char *name, struct err *err)
{
	AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct clickhouse_batch batch = { 0 };
	struct file_map map = { 0 };
	struct err refused = { 0 };
	char aside[NAME_MAX + 16];
	int code;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_errno(err, "%s/%s", store->spool, name);
	code = file_map_fd(fd, &map, err);
	if (!code && spool_read(map.data, map.len, &batch))
		code = clickhouse_send(store, &batch, true, &refused);
	else if (!code)
		code = -EREMOTEIO;
	if (code == -EREMOTEIO) {
		(void)snprintf(aside, sizeof(aside), "%s" REFUSED, name);
		code = renameat(folder, name, folder, aside) ? err_errno(err, "%s", name) : 0;
	} else if (code && refused.code) {
		*err = refused;
	} else if (!code) {
		(void)unlinkat(folder, name, 0);
	}
	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++)
		buf_done(&batch.rows[i]);
	file_map_close(&map);
	return code;
}

int spool_send(struct clickhouse *store, struct err *err)
{
	AUTO_CLOSE int folder = -1;
	struct names names = { 0 };
	uint64_t bytes;
	int code = 0;

	if (!store->spool || access(store->spool, F_OK))
		return 0;
	folder = open_folder(store, err);
	if (folder < 0)
		return folder;
	if (flock(folder, LOCK_EX | LOCK_NB))
		return 0; /* another process is sending them */
	code = list(folder, SUFFIX, &names, &bytes);
	if (code)
		code = err_set(err, code, "%s: %s", store->spool, strerror(-code));
	for (size_t i = 0; i < names.name.count && !code; i++)
		code = send_file(store, folder, names.name.item[i], err);
	names_done(&names);
	return code;
}

int spool_state(const struct clickhouse *store, struct spool_state *ret, struct err *err)
{
	AUTO_CLOSE int folder = -1;
	struct names waiting = { 0 }, refused = { 0 };
	uint64_t bytes;
	int code;

	*ret = (struct spool_state){ 0 };
	if (!store->spool || access(store->spool, F_OK))
		return 0;
	folder = open_folder(store, err);
	if (folder < 0)
		return folder;
	code = list(folder, SUFFIX, &waiting, &ret->bytes);
	if (!code)
		code = list(folder, REFUSED, &refused, &bytes);
	ret->batches = waiting.name.count;
	ret->refused = refused.name.count;
	names_done(&waiting);
	names_done(&refused);
	return code ? err_set(err, code, "%s: %s", store->spool, strerror(-code)) : 0;
}
