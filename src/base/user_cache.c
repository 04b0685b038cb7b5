/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/user_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

/* Makes every folder of the path. Its first bytes, of that length, must exist. */
static bool make_folder(char *path, size_t given)
{
	for (char *slash = strchr(path + given + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* Only the user can change what is in it. */
static bool is_own(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* The XDG base directory specification has the variables and the folders without them. */
static const struct base {
	const char *variable, *below_home;
} cache = { "XDG_CACHE_HOME", "/.cache/cupel" }, config = { "XDG_CONFIG_HOME", "/.config/cupel" };

/* Does not create home folders: users without one have a path that does not exist. Nor does it use
 * another user's: sudo may keep the variable. */
static int user_folder(const struct base *base, char *ret, size_t size, size_t *ret_given)
{
	const char *set = getenv(base->variable), *home = getenv("HOME");
	bool is_set = set && set[0] == '/';
	const char *from = is_set ? set : home;
	struct stat st;

	if (!from || from[0] != '/' ||
	    (!stat(from, &st) && st.st_uid != geteuid() && st.st_uid != 0))
		return INT_MAX;
	*ret_given = is_set ? 0 : strlen(home);
	return snprintf(ret, size, "%s%s", from, is_set ? "/cupel" : base->below_home);
}

/* Opens a folder inside an open one. Does not follow links. */
static int open_below(int folder, const char *name)
{
	AUTO_CLOSE int fd = -1;

	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && !mkdirat(folder, name, 0700))
		fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd >= 0 && is_own(fd) ? take_fd(&fd) : -1;
}

static int open_own(const char *folder)
{
	AUTO_CLOSE int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	return fd >= 0 && is_own(fd) ? take_fd(&fd) : -1;
}

int user_cache_open(const char *path, const char *name)
{
	char folder[PATH_MAX];
	size_t given = 0;
	int len = path ? snprintf(folder, sizeof(folder), "%s", path)
		       : user_folder(&cache, folder, sizeof(folder), &given);

	if (len >= (int)sizeof(folder))
		return -1;
	/* readers in a sandbox cannot make it, only open it */
	if (access(folder, F_OK) && !make_folder(folder, given))
		return -1;
	AUTO_CLOSE int fd = open_own(folder);
	if (fd < 0)
		return -1;
	return path ? take_fd(&fd) : open_below(fd, name);
}

int user_config_open(bool make)
{
	char folder[PATH_MAX];
	size_t given;

	if (user_folder(&config, folder, sizeof(folder), &given) >= (int)sizeof(folder))
		return -1;
	if (make && access(folder, F_OK) && !make_folder(folder, given))
		return -1;
	return open_own(folder);
}

bool user_cache_path(char *ret, size_t size)
{
	size_t given;

	return user_folder(&cache, ret, size, &given) < (int)size;
}

int user_cache_find(const char *name)
{
	char folder[PATH_MAX];
	AUTO_CLOSE int fd = -1, below = -1;

	if (!user_cache_path(folder, sizeof(folder)))
		return -1;
	fd = open_own(folder);
	if (fd < 0)
		return -1;
	below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return below >= 0 && is_own(below) ? take_fd(&below) : -1;
}

int user_cache_get(int folder, const char *name)
{
	AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || !is_own(fd) || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return -1;
	return take_fd(&fd);
}

static bool write_file(int folder, const char *name, const void *data, size_t len)
{
	AUTO_CLOSE int fd =
		openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	return fd >= 0 && !fd_write_all(fd, data, len);
}

bool user_cache_put(int folder, const char *name, const void *data, size_t len)
{
	char temporary[64];

	(void)snprintf(temporary, sizeof(temporary), ".%ld", (long)gettid());
	if (write_file(folder, temporary, data, len) && !renameat(folder, temporary, folder, name))
		return true;
	(void)unlinkat(folder, temporary, 0); /* a full disk: nothing is kept */
	return false;
}

bool user_cache_is_temporary(const char *name)
{
	return name[0] == '.' && name[1] && !name[1 + strspn(name + 1, "0123456789")];
}
