/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache of binaries (see binary_cache.h). Paths below its folder are opened part by part, so
 * that no link leads elsewhere. */
#include "proc/binary_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "proc/build_id.h"
#include "proc/elf_file.h"

#define LINKS "/.build-id/"

struct binary_cache {
	int fd;
	char folder[PATH_MAX];
};

/* perf's names of files. */
static const char *const names[] = { "elf", "debug", "kallsyms", "vdso", "probes" };

#define NAME_COUNT (sizeof(names) / sizeof(names[0]))

static bool folder_name(char *ret, size_t size)
{
	const char *given = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	bool has = given && given[0];

	if (!has && (!home || !home[0]))
		return false;
	return snprintf(ret, size, "%s%s", has ? given : home, has ? "" : "/.debug") < (int)size;
}

bool binary_cache_path(const struct build_id *id, const char *file, char *ret, size_t size)
{
	char folder[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];

	if (id->len < 2 || !folder_name(folder, sizeof(folder)))
		return false;
	build_id_hex(id, hex);
	return snprintf(ret, size, "%s" LINKS "%.2s/%s/%s", folder, hex, hex + 2, file) < (int)size;
}

bool binary_cache_is_id(const char *text)
{
	size_t len = strlen(text);

	return len >= 4 && len <= (size_t)2 * BUILD_ID_MAX && len % 2 == 0 &&
	       strspn(text, "0123456789abcdef") == len;
}

/* Whether a name is valid as a part of a path in the cache. */
static bool is_part(const char *part, size_t len)
{
	return len && len <= NAME_MAX && !(len == 1 && part[0] == '.') &&
	       !(len == 2 && part[0] == '.' && part[1] == '.');
}

/* Opens a folder below another one. A descriptor, or -errno. */
static int open_below(int fd, const char *path, bool make)
{
	int at = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	while (at >= 0 && *path) {
		AUTO_CLOSE int before = at;
		size_t len = strcspn(path, "/");
		char part[NAME_MAX + 1];

		if (len && !is_part(path, len))
			return -EINVAL;
		memcpy(part, path, len);
		part[len] = '\0';
		path += len + (path[len] == '/');
		if (!len) {
			at = take_fd(&before);
			continue;
		}
		if (make && mkdirat(before, part, 0777) && errno != EEXIST)
			return -errno;
		at = openat(before, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	return at < 0 ? -errno : at;
}

/* perf follows a link to it, as to a larger disk. In another user's folder, what is written or
 * removed could be put elsewhere. */
static int check_owner(const struct binary_cache *cache, struct err *err)
{
	struct stat st;

	if (fstat(cache->fd, &st))
		return err_errno(err, "%s", cache->folder);
	if ((st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & S_IWOTH))
		return 0;
	return err_set(err, -EPERM, "%s: other users can change it", cache->folder);
}

int binary_cache_open(bool make, struct binary_cache **ret, struct err *err)
{
	struct binary_cache *cache = mem_zalloc(sizeof(*cache));
	int code = 0;

	if (!folder_name(cache->folder, sizeof(cache->folder)))
		code = err_set(err, -ENOENT, "no HOME or PERF_BUILDID_DIR for the cache");
	else if (make && mkdir(cache->folder, 0777) && errno != EEXIST)
		code = err_errno(err, "%s", cache->folder);
	cache->fd = code ? -1 : open(cache->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!code)
		code = cache->fd < 0 ? err_errno(err, "%s", cache->folder)
				     : check_owner(cache, err);
	if (code) {
		fd_close(&cache->fd);
		free(cache);
		return code;
	}
	*ret = cache;
	return 0;
}

void binary_cache_close(struct binary_cache *cache)
{
	if (!cache)
		return;
	fd_close(&cache->fd);
	free(cache);
}

const char *binary_cache_name(const struct binary_cache *cache)
{
	return cache->folder;
}

/* The target of an id's link: "PATH/ID" below the cache. False for links of other forms. */
static bool read_link(const struct binary_cache *cache, const char *id, char *ret, size_t size)
{
	static const char up[] = "../../";
	char name[sizeof(LINKS) + 2 * BUILD_ID_MAX + 8], target[PATH_MAX];
	const char *last;
	ssize_t len;

	(void)snprintf(name, sizeof(name), ".build-id/%.2s/%s", id, id + 2);
	len = readlinkat(cache->fd, name, target, sizeof(target) - 1);
	if (len < (ssize_t)sizeof(up))
		return false;
	target[len] = '\0';
	last = strrchr(target, '/');
	if (strncmp(target, up, sizeof(up) - 1) != 0 || strcmp(last + 1, id) != 0)
		return false;
	return snprintf(ret, size, "%s", target + sizeof(up) - 1) < (int)size;
}

/* Whether the binary has the id of its folder; the kernel's symbols and vdso have none inside. */
static bool is_whole(int folder, const char *id)
{
	AUTO_CLOSE int elf = openat(folder, "elf", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	char hex[2 * BUILD_ID_MAX + 1];
	struct build_id found;

	if (elf < 0)
		return !faccessat(folder, "kallsyms", R_OK, 0) ||
		       !faccessat(folder, "vdso", R_OK, 0);
	if (!build_id_read_fd(elf, &found))
		return false;
	build_id_hex(&found, hex);
	return strcmp(hex, id) == 0;
}

static int visit(const struct binary_cache *cache, const char *id,
		 int (*each)(void *context, const struct binary_cache_entry *entry), void *context)
{
	struct binary_cache_entry entry = { .id = id };
	char target[PATH_MAX], path[PATH_MAX + 1];
	AUTO_CLOSE int folder = -1;

	if (!read_link(cache, id, target, sizeof(target)))
		return 0;
	folder = open_below(cache->fd, target, false);
	entry.whole = folder >= 0 && is_whole(folder, id);
	*strrchr(target, '/') = '\0';
	(void)snprintf(path, sizeof(path), "%s%s", target[0] == '[' ? "" : "/", target);
	entry.path = path;
	return each(context, &entry);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds "PREFIX NAME" of the entries that make an id with the prefix, or, without one, of those of
 * two digits. */
static void list_ids(int fd, const char *prefix, struct arena *arena, const char ***ret,
		     size_t *ret_count)
{
	DIR *folder = fdopendir(fd);
	VEC(const char *) found = { 0 };
	struct dirent *entry;

	if (!folder) {
		(void)close(fd);
		return;
	}
	while ((entry = readdir(folder))) {
		char text[NAME_MAX + 8];

		(void)snprintf(text, sizeof(text), "%s%s", prefix, entry->d_name);
		if (prefix[0] ? binary_cache_is_id(text)
			      : strlen(text) == 2 && strspn(text, "0123456789abcdef") == 2)
			vec_push(&found, arena_strdup(arena, text));
	}
	(void)closedir(folder);
	if (found.count)
		qsort(found.item, found.count, sizeof(*found.item), by_text);
	*ret = found.item;
	*ret_count = found.count;
}

int binary_cache_list(const struct binary_cache *cache,
		      int (*each)(void *context, const struct binary_cache_entry *entry),
		      void *context)
{
	int links = open_below(cache->fd, ".build-id", false), code = 0;
	struct arena arena = { 0 };
	const char **prefix = NULL;
	size_t prefixes = 0;

	if (links >= 0)
		list_ids(links, "", &arena, &prefix, &prefixes);
	for (size_t i = 0; i < prefixes && !code; i++) {
		const char **id = NULL;
		char name[32];
		size_t count = 0;
		int folder;

		(void)snprintf(name, sizeof(name), ".build-id/%s", prefix[i]);
		folder = open_below(cache->fd, name, false);
		if (folder >= 0)
			list_ids(folder, prefix[i], &arena, &id, &count);
		for (size_t k = 0; k < count && !code; k++)
			code = visit(cache, id[k], each, context);
		free(id);
	}
	free(prefix);
	arena_done(&arena);
	return code;
}

bool binary_cache_has(const struct binary_cache *cache, const char *id)
{
	char target[PATH_MAX];
	AUTO_CLOSE int folder = -1;

	if (!binary_cache_is_id(id) || !read_link(cache, id, target, sizeof(target)))
		return false;
	folder = open_below(cache->fd, target, false);
	return folder >= 0 && is_whole(folder, id);
}

/* Writes a temporary file beside it, then renames. */
static int write_file(int folder, const struct binary_cache_file *file)
{
	char temporary[32];
	AUTO_CLOSE int fd = -1;
	int code;

	(void)snprintf(temporary, sizeof(temporary), ".cupel-%d", (int)getpid());
	fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0777);
	if (fd < 0)
		return -errno;
	code = fd_write_all(fd, file->data, file->len);
	if (!code && renameat(folder, temporary, folder, file->name))
		code = -errno;
	if (code)
		(void)unlinkat(folder, temporary, 0);
	return code;
}

/* Makes the link of an id; one that leads elsewhere is replaced. */
static int make_link(const struct binary_cache *cache, const char *id, const char *target)
{
	char folder[32], text[PATH_MAX + 8], old[PATH_MAX];
	AUTO_CLOSE int links = -1;

	if (read_link(cache, id, old, sizeof(old)) && strcmp(old, target) == 0)
		return 0;
	(void)snprintf(folder, sizeof(folder), ".build-id/%.2s", id);
	links = open_below(cache->fd, folder, true);
	if (links < 0)
		return links;
	(void)snprintf(text, sizeof(text), "../../%s", target);
	if (symlinkat(text, links, id + 2) == 0)
		return 0;
	/* removes a link, but no folder */
	if (errno != EEXIST || unlinkat(links, id + 2, 0) || symlinkat(text, links, id + 2))
		return -errno;
	return 0;
}

static bool is_name(const char *name)
{
	for (size_t i = 0; i < NAME_COUNT; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

int binary_cache_add(struct binary_cache *cache, const struct binary_cache_file *file,
		     struct err *err)
{
	const char *path = file->path + strspn(file->path, "/");
	char target[PATH_MAX];
	AUTO_CLOSE int folder = -1;
	int code;

	if (!binary_cache_is_id(file->id) || !is_name(file->name) || !*path ||
	    snprintf(target, sizeof(target), "%s/%s", path, file->id) >= (int)sizeof(target))
		return err_set(err, -EINVAL, "%s: not a name for the cache", file->path);
	folder = open_below(cache->fd, target, true);
	code = folder < 0 ? folder : write_file(folder, file);
	if (!code)
		code = make_link(cache, file->id, target);
	return code ? err_set(err, code, "%s/%s/%s: %s", cache->folder, target, file->name,
			      strerror(-code))
		    : 0;
}

/* Removes an empty folder, and its parents as long as they are empty. Returns the result of the
 * first. */
static int remove_folders(const struct binary_cache *cache, char *path)
{
	int first = 0;

	for (bool upper = false;; upper = true) {
		char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
		AUTO_CLOSE int above = -1;
		int code;

		if (slash)
			*slash = '\0';
		above = open_below(cache->fd, slash ? path : "", false);
		code = above < 0 ? above : unlinkat(above, name, AT_REMOVEDIR) ? -errno : 0;
		first = upper ? first : code;
		if (code || !slash)
			return first;
	}
}

int binary_cache_remove(struct binary_cache *cache, const char *id, struct err *err)
{
	char target[PATH_MAX], links[32];
	AUTO_CLOSE int folder = -1, link = -1;
	int code = 0;

	if (!binary_cache_is_id(id) || !read_link(cache, id, target, sizeof(target)))
		return err_set(err, -ENOENT, "%s: not in the cache", id);
	(void)snprintf(links, sizeof(links), ".build-id/%.2s", id);
	link = open_below(cache->fd, links, false);
	folder = open_below(cache->fd, target, false);
	for (size_t i = 0; i < NAME_COUNT && folder >= 0; i++)
		(void)unlinkat(folder, names[i], 0); /* most are not there */
	if (folder >= 0)
		code = remove_folders(cache, target);
	if (link < 0 || unlinkat(link, id + 2, 0))
		return err_errno(err, "%s/%s/%s", cache->folder, links, id + 2);
	(void)remove_folders(cache, links); /* when it was the last */
	return code ? err_set(err, code, "%s: %s: %s", cache->folder, id, strerror(-code)) : 0;
}
