/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See tracefs_mount.h, and Documentation/filesystems/mount_api.rst of the kernel. */
#include "source/event_spec/tracefs_mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"

/* The top folder of a mount without a place: an O_PATH descriptor in tracefs. */
static bool is_own_mount(int fd)
{
	struct statfs system;
	struct stat file;
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && flags & O_PATH && fstatfs(fd, &system) == 0 &&
	       system.f_type == TRACEFS_MAGIC && fstat(fd, &file) == 0 && S_ISDIR(file.st_mode);
}

/* -1: it was not made yet. */
static int find_mount(void)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	int ret = -1;

	while (folder && ret < 0 && (entry = readdir(folder))) {
		int fd = entry->d_name[0] == '.' ? -1 : (int)strtol(entry->d_name, NULL, 10);

		if (fd >= 0 && is_own_mount(fd))
			ret = fd;
	}
	if (folder)
		(void)closedir(folder);
	return ret;
}

static int make_mount(void)
{
	AUTO_CLOSE int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	long fd;

	if (context < 0)
		return -errno;
	if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -errno;
	fd = syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	return fd < 0 ? -errno : (int)fd;
}

int tracefs_mount(void)
{
	int fd = find_mount();

	return fd < 0 ? make_mount() : fd;
}
