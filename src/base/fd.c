/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and writing descriptors whole, and mapping files (see fd.h). */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/memory_limit.h"

int fd_read_file(const char *path, struct buf *ret, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[16384];

	if (fd < 0)
		return err_errno(err, "%s", path);
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, "%s", path);
		if (n == 0)
			return 0;
		memory_limit_input((size_t)n);
		if (buf_append(ret, chunk, (size_t)n))
			return err_set(err, -E2BIG, "%s: larger than the limit of %zu bytes", path,
				       ret->limit);
	}
}

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

ssize_t fd_read_full(int fd, void *data, size_t len)
{
	char *p = data;
	size_t done = 0;

	while (done < len) {
		ssize_t n = read(fd, p + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int file_map_fd(int fd, struct file_map *ret, struct err *err)
{
	struct stat st;
	void *data = NULL;

	if (fstat(fd, &st))
		return err_errno(err, "stat");
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "not a regular file");
	if (memory_limit_check(fd, &st, err))
		return err->code;
	if (st.st_size > 0) {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (data == MAP_FAILED) /* of a file system without a page cache */
			data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED)
			return err_errno(err, "mmap");
	}
	memory_limit_input(memory_limit_disk_bytes(fd, &st));
	*ret = (struct file_map){
		.data = data,
		.len = (size_t)st.st_size,
		.device = st.st_dev,
		.inode = st.st_ino,
		.owner = st.st_uid,
		.changed_ns = st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
		.status_ns = st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec,
	};
	return 0;
}

void memory_keep(void *data, size_t len)
{
	(void)madvise(data, len, MADV_DONTFORK); /* advice: without it forks are slower */
}

int fd_temporary(const char *label, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = memfd_create(label, MFD_CLOEXEC);
	return fd < 0 ? err_errno(err, "temporary file") : fd;
}

int file_map_open(const char *path, struct file_map *ret, struct err *err)
{
	/* O_NONBLOCK: a fifo instead of a file is refused, without waiting for a writer */
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_errno(err, "%s", path);
	if (file_map_fd(fd, ret, err))
		return err_wrap(err, "%s", path);
	return 0;
}

void file_map_close(struct file_map *map)
{
	if (map->data)
		(void)munmap((void *)(uintptr_t)map->data, map->len);
	*map = (struct file_map){ 0 };
}

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void fd_sort(int *fds, size_t count)
{
	if (count)
		qsort(fds, count, sizeof(*fds), compare_fds);
}

void fd_close_others(const int *keep, size_t count)
{
	unsigned from = 0;

	for (size_t i = 0; i < count; i++) {
		if (keep[i] < 0)
			continue;
		if ((unsigned)keep[i] > from)
			(void)close_range(from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	(void)close_range(from, ~0u, 0);
}
