/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See output_file.h. */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"

#define WRITE_FLAGS (O_WRONLY | O_CREAT | O_CLOEXEC)

/* Resolves a symbolic link. A link of another user could make us write where that user cannot. */
static int follow(const char *path, char ret[PATH_MAX])
{
	struct stat st;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (lstat(path, &st) || !S_ISLNK(st.st_mode)) {
		(void)snprintf(ret, PATH_MAX, "%s", path);
		return 0;
	}
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return -ELOOP;
	return realpath(path, ret) ? 0 : -errno;
}

static bool can_replace(const struct stat *old)
{
	return S_ISREG(old->st_mode) && (old->st_uid == geteuid() || geteuid() == 0);
}

static int open_beside(struct output_file *file, const struct stat *old)
{
	int len = snprintf(file->temporary, sizeof(file->temporary), "%s.%ld.tmp", file->path,
			   (long)getpid());
	AUTO_CLOSE int fd = -1;

	if (len < (int)sizeof(file->temporary))
		fd = open(file->temporary, WRITE_FLAGS | O_EXCL | O_NOFOLLOW, 0666);
	if (fd < 0)
		return -1;
	if (old && (fchown(fd, old->st_uid, old->st_gid) || fchmod(fd, old->st_mode & 07777))) {
		(void)unlink(file->temporary);
		return -1;
	}
	return take_fd(&fd);
}

int output_file_open(struct output_file *file, const char *path)
{
	struct stat old;
	int fd, code = follow(path, file->path);
	bool exists;

	file->temporary[0] = '\0';
	if (code == -ENOENT) { /* our own link to a missing file */
		fd = open(path, WRITE_FLAGS, 0666);
		return fd < 0 ? -errno : fd;
	}
	if (code)
		return code;
	exists = stat(file->path, &old) == 0;
	if (exists && faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS))
		return -errno;
	if (!exists || can_replace(&old)) {
		fd = open_beside(file, exists ? &old : NULL);
		if (fd >= 0)
			return fd;
	}
	file->temporary[0] = '\0';
	fd = open(file->path, WRITE_FLAGS | O_TRUNC | O_NOFOLLOW, 0666);
	return fd < 0 ? -errno : fd;
}

int output_file_end(struct output_file *file, bool keep)
{
	int code = 0;

	if (!file->temporary[0])
		return 0;
	if (keep && rename(file->temporary, file->path))
		code = -errno;
	if (!keep || code)
		(void)unlink(file->temporary); /* the older file is what counts */
	file->temporary[0] = '\0';
	return code;
}

int output_file_open_in_place(const char *path, mode_t mode)
{
	const int flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC;
	char target[PATH_MAX];
	int fd, code = follow(path, target);

	if (code == -ENOENT) /* a link of ours to what is not there yet */
		fd = open(path, flags, mode);
	else if (code)
		return code;
	else
		fd = open(target, flags | O_NOFOLLOW, mode);
	return fd < 0 ? -errno : fd;
}

int output_file_error(const char *path, int code, struct err *err)
{
	if (code == -ELOOP)
		return err_set(err, code, "%s: a symbolic link of another user", path);
	return err_set(err, code, "%s: %s", path, strerror(-code));
}
