/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of batches (see received.h). */
#include "store/segment/received.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"

#define NAME	  "received"
#define TEMPORARY NAME ".new"

static void take(struct received *received, const uint8_t *data, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t id;

		memcpy(&id, data + i * sizeof(id), sizeof(id));
		map_set(&received->known, le64toh(id), 1);
	}
}

/* The last ones alone, in a file that takes the place of the old one. */
static int shorten(int folder, const uint8_t *data, size_t count)
{
	AUTO_CLOSE int fd = openat(folder, TEMPORARY,
				   O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int code = fd < 0 ? -errno : fd_write_all(fd, data, count * sizeof(uint64_t));

	if (!code && (fsync(fd) || renameat(folder, TEMPORARY, folder, NAME)))
		code = -errno;
	return code;
}

static int open_file(struct received *received, int folder)
{
	received->fd =
		openat(folder, NAME, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	return received->fd < 0 ? -errno : 0;
}

static int load(struct received *received, int folder, struct err *err)
{
	struct file_map map = { 0 };
	size_t count, first;
	int code = open_file(received, folder);

	if (code)
		return err_set(err, code, NAME ": %s", strerror(-code));
	if (file_map_fd(received->fd, &map, err))
		return err_wrap(err, NAME);
	count = map.len / sizeof(uint64_t);
	first = count > RECEIVED_KEPT ? count - RECEIVED_KEPT : 0;
	take(received, (const uint8_t *)map.data + first * sizeof(uint64_t), count - first);
	/* a torn end, and what is old */
	if (map.len % sizeof(uint64_t))
		code = ftruncate(received->fd, (off_t)(count * sizeof(uint64_t))) ? -errno : 0;
	if (!code && first > RECEIVED_KEPT) {
		code = shorten(folder, (const uint8_t *)map.data + first * sizeof(uint64_t),
			       count - first);
		fd_close(&received->fd);
		code = code ? code : open_file(received, folder);
	}
	file_map_close(&map);
	return code ? err_set(err, code, NAME ": %s", strerror(-code)) : 0;
}

int received_find(struct received *received, int folder, uint64_t id, bool *ret, struct err *err)
{
	uint64_t ignored;

	if (received->known.count > 2 * RECEIVED_KEPT)
		received_done(received);
	if (received->fd < 0 && load(received, folder, err)) {
		received_done(received);
		return err->code;
	}
	*ret = map_get(&received->known, id, &ignored);
	return 0;
}

int received_add(struct received *received, uint64_t id, struct err *err)
{
	uint64_t little = htole64(id);
	int code = fd_write_all(received->fd, &little, sizeof(little));

	if (code)
		return err_set(err, code, NAME ": %s", strerror(-code));
	map_set(&received->known, id, 1);
	received->unsynced = true;
	return 0;
}

int received_sync(struct received *received, struct err *err)
{
	if (received->unsynced && fdatasync(received->fd))
		return err_errno(err, NAME);
	received->unsynced = false;
	return 0;
}

void received_done(struct received *received)
{
	map_done(&received->known);
	received->known = (struct map){ 0 };
	fd_close(&received->fd);
	received->fd = -1;
}
