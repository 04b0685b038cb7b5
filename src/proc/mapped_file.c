/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See mapped_file.h. Devices of mappings and of stat(2) differ on file systems with volumes of
 * their own (btrfs) and on stacked ones (overlayfs); generations of inodes are known on some. */
#include "proc/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "event/event.h"

/* The path leads through folders that others may change. */
static int find_below(int root, const char *path)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
				      .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int found = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (found < 0 && errno == ENOSYS) /* before Linux 5.6 */
		found = openat(root, path + 1, (int)how.flags);
	return found;
}

static bool same_device(const struct stat *st, const struct event_mmap *map)
{
	return major(st->st_dev) == map->maj && minor(st->st_dev) == map->min;
}

/* A freed inode's number is given to another file with another generation. */
static bool is_mapped(int fd, const struct stat *st, const struct event_mmap *map, bool by_process)
{
	bool known = map->ino && map->ino_generation;
	long generation = 0; /* the kernel writes 32 bits or 64 */

	if (known && (ioctl(fd, FS_IOC_GETVERSION, &generation) || !generation))
		known = false;
	if (known && (uint32_t)generation != (uint32_t)map->ino_generation)
		return false;
	return by_process || known || same_device(st, map);
}

/* Takes `found`, which is a place in the file system, not an open file. */
static int open_found(int found, const struct event_mmap *map, bool by_process)
{
	AUTO_CLOSE int place = found;
	char path[64];
	struct stat st;

	if (place < 0 || fstat(place, &st) || !S_ISREG(st.st_mode) ||
	    (map->ino && st.st_ino != map->ino))
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && is_mapped(fd, &st, map, by_process) ? take_fd(&fd) : -1;
}

/* By the mapping itself, which needs privileges; by the path; and the program of the process. */
static int open_by_process(int process, const struct event_mmap *map)
{
	char link[64];
	int fd;

	(void)snprintf(link, sizeof(link), "map_files/%jx-%jx", (uintmax_t)map->start,
		       (uintmax_t)(map->start + map->len));
	fd = open_found(openat(process, link, O_PATH | O_CLOEXEC), map, true);
	if (fd < 0) {
		AUTO_CLOSE int root = openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (root >= 0)
			fd = open_found(find_below(root, map->path), map, true);
	}
	if (fd < 0 && map->ino)
		fd = open_found(openat(process, "exe", O_PATH | O_CLOEXEC), map, true);
	return fd;
}

int mapped_file_open(int process, const struct event_mmap *map)
{
	int fd = process < 0 ? -1 : open_by_process(process, map);

	if (fd < 0 && map->ino) {
		AUTO_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (root >= 0)
			fd = open_found(find_below(root, map->path), map, false);
	}
	return fd;
}

bool mapped_file_is_at_path(const struct event_mmap *map, struct stat *ret)
{
	return !lstat(map->path, ret) && S_ISREG(ret->st_mode) && ret->st_ino == map->ino &&
	       same_device(ret, map);
}
