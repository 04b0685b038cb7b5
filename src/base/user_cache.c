/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/user_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/vec.h"

#define TEMPORARY_DIGITS 20 /* of 64 bits */
#define TEMPORARY_SIZE	 (1 + TEMPORARY_DIGITS + 1)
/* Temporary files of this age were left by a process that died. */
#define STALE_SECONDS 3600

struct kept_file {
	char name[NAME_MAX + 1];
	uint64_t bytes;
	int64_t used_ns;
};
typedef VEC(struct kept_file) kept_files;

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

/* Folders on the way are the user's or root's: in those of others, what is found can be replaced.
 */
static bool is_trusted(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* One folder on the way. Follows links that the user or root made. */
static int enter(int folder, const char *name, bool make)
{
	int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	AUTO_CLOSE int fd = openat(folder, name, flags | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 && errno == ENOENT && make && !mkdirat(folder, name, 0700))
		fd = openat(folder, name, flags | O_NOFOLLOW);
	else if (fd < 0 && errno == ENOTDIR && !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) &&
		 S_ISLNK(st.st_mode) && is_trusted(&st))
		fd = openat(folder, name, flags);
	return fd >= 0 && !fstat(fd, &st) && is_trusted(&st) ? take_fd(&fd) : -1;
}

/* Opens a folder inside an open one, which only the user can change. Does not follow links. */
static int open_below(int folder, const char *name, bool make)
{
	AUTO_CLOSE int fd = -1;

	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && make && !mkdirat(folder, name, 0700))
		fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd >= 0 && is_own(fd) ? take_fd(&fd) : -1;
}

/* Opens the last folder of the path, part by part, and makes what is missing if that is wanted. Its
 * first bytes, of the length `given`, must exist. Readers in a sandbox cannot make any. */
static int open_own(const char *path, size_t given, bool make)
{
	AUTO_CLOSE int at = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char part[NAME_MAX + 1];

	for (const char *from = path + strspn(path, "/"); at >= 0;) {
		AUTO_CLOSE int above = take_fd(&at);
		size_t len = strcspn(from, "/");
		const char *next = from + len + strspn(from + len, "/");
		bool may = make && (size_t)(from - path) >= given;

		if (!len || len > NAME_MAX)
			return -1;
		memcpy(part, from, len);
		part[len] = '\0';
		if (!*next)
			return open_below(above, part, may);
		at = enter(above, part, may);
		from = next;
	}
	return -1;
}

int user_cache_open(const char *path, const char *name)
{
	char folder[PATH_MAX];
	size_t given = 0;
	int len = path ? snprintf(folder, sizeof(folder), "%s", path)
		       : user_folder(&cache, folder, sizeof(folder), &given);

	if (len >= (int)sizeof(folder))
		return -1;
	AUTO_CLOSE int fd = open_own(folder, given, true);
	if (fd < 0)
		return -1;
	return path ? take_fd(&fd) : open_below(fd, name, true);
}

int user_config_open(bool make)
{
	char folder[PATH_MAX];
	size_t given;

	if (user_folder(&config, folder, sizeof(folder), &given) >= (int)sizeof(folder))
		return -1;
	return open_own(folder, given, make);
}

bool user_cache_path(char *ret, size_t size)
{
	size_t given;

	return user_folder(&cache, ret, size, &given) < (int)size;
}

int user_cache_find(const char *name)
{
	char folder[PATH_MAX];

	if (!user_cache_path(folder, sizeof(folder)))
		return -1;
	AUTO_CLOSE int fd = open_own(folder, 0, false);
	return fd < 0 ? -1 : open_below(fd, name, false);
}

int user_cache_get(int folder, const char *name)
{
	AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || !is_own(fd) || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return -1;
	return take_fd(&fd);
}

bool user_cache_put(int folder, const char *name, const void *data, size_t len)
{
	char temporary[TEMPORARY_SIZE];
	uint64_t number = 0;
	bool good;

	/* the numbers of threads are the same in several containers */
	(void)getrandom(&number, sizeof(number), GRND_NONBLOCK);
	(void)snprintf(temporary, sizeof(temporary), ".%0*" PRIu64, TEMPORARY_DIGITS, number);
	AUTO_CLOSE int fd = openat(folder, temporary,
				   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	good = !fd_write_all(fd, data, len) && !renameat(folder, temporary, folder, name);
	if (!good)
		(void)unlinkat(folder, temporary, 0); /* a full disk: nothing is kept */
	return good;
}

bool user_cache_is_temporary(const char *name)
{
	return name[0] == '.' && strspn(name + 1, "0123456789") == TEMPORARY_DIGITS &&
	       !name[1 + TEMPORARY_DIGITS];
}

static int compare_use(const void *a, const void *b)
{
	const struct kept_file *x = a, *y = b;

	return (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns);
}

static bool is_kept(const char *name, const char *suffix)
{
	size_t digits = strspn(name, "0123456789abcdef-");

	return digits && strcmp(name + digits, suffix) == 0;
}

/* Every file that was made here; returns their bytes. */
static uint64_t list_kept(int folder, const char *suffix, kept_files *ret)
{
	int fd = dup(folder);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	time_t now = time(NULL);
	uint64_t total = 0;
	struct stat st;

	if (!dir) {
		if (fd >= 0)
			(void)close(fd);
		return 0;
	}
	rewinddir(dir); /* the position is shared with earlier readers */
	for (struct dirent *entry; (entry = readdir(dir));) {
		struct kept_file *file;

		if (fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		if (user_cache_is_temporary(entry->d_name) && now - st.st_mtime > STALE_SECONDS)
			(void)unlinkat(folder, entry->d_name, 0);
		if (!is_kept(entry->d_name, suffix))
			continue;
		file = vec_add(ret);
		(void)snprintf(file->name, sizeof(file->name), "%s", entry->d_name);
		file->bytes = (uint64_t)st.st_size;
		file->used_ns = st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		total += file->bytes;
	}
	(void)closedir(dir); /* only read */
	return total;
}

uint64_t user_cache_trim(int folder, const char *suffix, uint64_t cap_bytes)
{
	kept_files files = { 0 };
	uint64_t total = list_kept(folder, suffix, &files);

	if (files.count && total > cap_bytes) {
		qsort(files.item, files.count, sizeof(*files.item), compare_use);
		/* well below the cap, so that this is rare */
		for (size_t i = 0; i < files.count && total > cap_bytes / 4 * 3; i++)
			if (!unlinkat(folder, files.item[i].name, 0))
				total -= files.item[i].bytes;
	}
	vec_done(&files);
	return total;
}
