/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of batches (see spool.h). */
#include "store/spool.h"

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
#include "base/vec.h"

#define REFUSED	   ".refused"
#define NAME_BYTES 64
#define MOST_FILES 100000

struct names {
	VEC(char *) name;
};

static bool ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), tail = strlen(suffix);

	return len > tail && strcmp(name + len - tail, suffix) == 0;
}

static int open_folder(const struct spool *spool, struct err *err)
{
	int fd;

	if (mkdir(spool->folder, 0700) && errno != EEXIST)
		return err_errno(err, "%s", spool->folder);
	fd = open(spool->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? err_errno(err, "%s", spool->folder) : fd;
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

int spool_put(const struct spool *spool, uint64_t id, const struct buf *data, struct err *err)
{
	AUTO_CLOSE int folder = open_folder(spool, err);
	struct names names = { 0 };
	char name[NAME_BYTES];
	uint64_t bytes = 0;
	int code;

	if (folder < 0)
		return folder;
	code = list(folder, spool->suffix, &names, &bytes);
	names_done(&names);
	if (!code && bytes + data->len > spool->most_bytes)
		code = -ENOSPC;
	(void)snprintf(name, sizeof(name), "%020" PRIu64 "-%016" PRIx64 "%s",
		       clock_ns(CLOCK_REALTIME), id, spool->suffix);
	if (!code)
		code = write_file(folder, name, data);
	if (code == -ENOSPC)
		return err_set(err, code, "%s: no room for more batches until the server is back",
			       spool->folder);
	return code ? err_set(err, code, "%s: %s", spool->folder, strerror(-code)) : 0;
}

/* What is damaged or refused stays, under another name, and is not tried again. */
static int send_file(const struct spool *spool, int folder, const char *name, struct err *err)
{
	AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct file_map map = { 0 };
	struct err why = { 0 };
	char aside[NAME_MAX + 16];
	int code;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_errno(err, "%s/%s", spool->folder, name);
	if (file_map_fd(fd, &map, err))
		return err->code;
	code = spool->send(spool->context, map.data, map.len, &why);
	file_map_close(&map);
	if (code == -EREMOTEIO) {
		(void)snprintf(aside, sizeof(aside), "%s" REFUSED, name);
		return renameat(folder, name, folder, aside) ? err_errno(err, "%s", name) : 0;
	}
	if (code)
		*err = why;
	else
		(void)unlinkat(folder, name, 0);
	return code;
}

int spool_send(const struct spool *spool, struct err *err)
{
	AUTO_CLOSE int folder = -1;
	struct names names = { 0 };
	uint64_t bytes;
	int code = 0;

	if (!spool->folder || access(spool->folder, F_OK))
		return 0;
	folder = open_folder(spool, err);
	if (folder < 0)
		return folder;
	if (flock(folder, LOCK_EX | LOCK_NB))
		return 0; /* another process is sending them */
	code = list(folder, spool->suffix, &names, &bytes);
	if (code)
		code = err_set(err, code, "%s: %s", spool->folder, strerror(-code));
	for (size_t i = 0; i < names.name.count && !code; i++)
		code = send_file(spool, folder, names.name.item[i], err);
	names_done(&names);
	return code;
}

int spool_state(const struct spool *spool, struct spool_state *ret, struct err *err)
{
	AUTO_CLOSE int folder = -1;
	struct names waiting = { 0 }, refused = { 0 };
	uint64_t bytes;
	int code;

	*ret = (struct spool_state){ 0 };
	if (!spool->folder || access(spool->folder, F_OK))
		return 0;
	folder = open_folder(spool, err);
	if (folder < 0)
		return folder;
	code = list(folder, spool->suffix, &waiting, &ret->bytes);
	if (!code)
		code = list(folder, REFUSED, &refused, &bytes);
	ret->batches = waiting.name.count;
	ret->refused = refused.name.count;
	names_done(&waiting);
	names_done(&refused);
	return code ? err_set(err, code, "%s: %s", spool->folder, strerror(-code)) : 0;
}

int spool_tell(const struct spool *spool, const char *server, const struct err *why,
	       struct err *err)
{
	struct spool_state state;

	if (spool_state(spool, &state, err))
		return err->code;
	if (state.batches)
		return err_set(err, -EHOSTUNREACH,
			       "%s: %" PRIu64 " batches (%" PRIu64 " KB) wait in %s%s%s", server,
			       state.batches, state.bytes >> 10, spool->folder,
			       why->code ? ": " : "", why->code ? why->msg : "");
	if (state.refused)
		return err_set(err, -EREMOTEIO,
			       "%s: %" PRIu64 " batches were refused; they are in %s", server,
			       state.refused, spool->folder);
	return 0;
}
