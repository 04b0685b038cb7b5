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

/* Makes every folder on the way below the first so many bytes, which must be there. */
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

/* Does not create home folders: users without one have a path that does not exist. */
static int user_folder(const char *name, char *ret, size_t size, size_t *ret_given)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && cache[0] == '/')
		return snprintf(ret, size, "%s/cupel/%s", cache, name);
	if (!home || home[0] != '/')
		return INT_MAX;
	*ret_given = strlen(home);
	return snprintf(ret, size, "%s/.cache/cupel/%s", home, name);
}

int user_cache_open(const char *path, const char *name)
{
	char folder[PATH_MAX];
	size_t given = 0;
	int len = path ? snprintf(folder, sizeof(folder), "%s", path)
		       : user_folder(name, folder, sizeof(folder), &given);

	if (len >= (int)sizeof(folder) || !make_folder(folder, given))
		return -1;
	return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int user_cache_get(int folder, const char *name)
{
	AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_mode & (S_IWGRP | S_IWOTH))
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
