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
#include "store/segment/part_file.h"
#include "store/segment/segment_store.h"

#define TEMPORARY RECEIVED_FILE ".new"

uint64_t received_number(uint64_t id, size_t index)
{
	uint64_t number = id + index * 0x9e3779b97f4a7c15u;

	return number ? number : 1;
}

static void take(struct received *received, const uint8_t *data, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t number;

		memcpy(&number, data + i * sizeof(number), sizeof(number));
		map_set(&received->known, le64toh(number), 1);
	}
}

/* The last ones alone, in a file that takes the place of the old one. */
static int shorten(int folder, const uint8_t *data, size_t count)
{
	AUTO_CLOSE int fd = openat(folder, TEMPORARY,
				   O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int code = fd < 0 ? -errno : fd_write_all(fd, data, count * sizeof(uint64_t));

	if (!code && (fsync(fd) || renameat(folder, TEMPORARY, folder, RECEIVED_FILE)))
		code = -errno;
	return code;
}

static int load_file(struct received *received, int folder, struct err *err)
{
	AUTO_CLOSE int fd = openat(folder, RECEIVED_FILE, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct file_map map = { 0 };
	size_t count, first;
	int code = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_errno(err, RECEIVED_FILE);
	if (file_map_fd(fd, &map, err))
		return err_wrap(err, RECEIVED_FILE);
	count = map.len / sizeof(uint64_t);
	first = count > RECEIVED_KEPT ? count - RECEIVED_KEPT : 0;
	take(received, (const uint8_t *)map.data + first * sizeof(uint64_t), count - first);
	if (first > RECEIVED_KEPT)
		code = shorten(folder, (const uint8_t *)map.data + first * sizeof(uint64_t),
			       count - first);
	file_map_close(&map);
	return code ? err_set(err, code, RECEIVED_FILE ": %s", strerror(-code)) : 0;
}

/* What the logs have, and the file not yet. */
static int load_logs(struct received *received, int folder, struct err *err)
{
	struct segment_parts parts = { 0 };
	int code = segment_parts_find(folder, &parts, err);

	for (size_t i = 0; i < parts.part.count && !code; i++) {
		AUTO_CLOSE int part = openat(folder, parts.part.item[i].name,
					     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		struct part_numbers numbers = { 0 };

		if (part < 0)
			continue; /* it was too old */
		code = part_numbers_of_logs(part, &numbers, err);
		for (size_t n = 0; n < numbers.number.count; n++)
			map_set(&received->known, numbers.number.item[n], 1);
		vec_done(&numbers.number);
	}
	vec_done(&parts.part);
	return code;
}

int received_find(struct received *received, int folder, uint64_t number, bool *ret,
		  struct err *err)
{
	uint64_t ignored;

	if (received->known.count > 2 * RECEIVED_KEPT)
		received_done(received);
	/* the logs first: a checkpoint in between moves numbers to the file */
	if (!received->loaded &&
	    (load_logs(received, folder, err) || load_file(received, folder, err))) {
		received_done(received);
		return err->code;
	}
	received->loaded = true;
	*ret = map_get(&received->known, number, &ignored);
	return 0;
}

void received_add(struct received *received, uint64_t number)
{
	map_set(&received->known, number, 1);
}

void received_done(struct received *received)
{
	map_done(&received->known);
	*received = (struct received){ 0 };
}
