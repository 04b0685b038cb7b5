/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding tracepoints in tracefs (see tracepoint.h). */
#include "source/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"

#define MAX_NAMES 65536

struct name_list {
	const char **item;
	size_t count, capacity; /* a VEC(const char *) with a name */
};

int tracefs_find(const char *root, struct arena *arena, const char **ret, struct err *err)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	bool denied = false;

	for (size_t i = 0; i < 2; i++) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s%s/events", root, places[i]) >=
		    (int)sizeof(path))
			return err_set(err, -ENAMETOOLONG, "%s: name too long", root);
		if (access(path, R_OK | X_OK) == 0) {
			*ret = arena_strndup(arena, path, strlen(path) - strlen("/events"));
			return 0;
		}
		denied = denied || errno == EACCES || errno == EPERM;
	}
	if (denied) {
		err_set(err, -EACCES, "tracefs: permission denied");
		return err_hint(err, "run as root, or allow reading with: sudo mount -o "
				     "remount,mode=755 /sys/kernel/tracing");
	}
	err_set(err, -ENOENT, "tracefs is not mounted");
	return err_hint(err, "mount it with: sudo mount -t tracefs nodev /sys/kernel/tracing");
}

/* Names from the user become parts of paths. */
static bool plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) <= NAME_MAX;
}

int tracepoint_id(const char *tracefs, const char *system, const char *name, uint64_t *ret,
		  struct err *err)
{
	struct buf text = { .limit = 64 };
	char path[PATH_MAX], *end;
	unsigned long long id;
	int r;

	if (!plain_name(system) || !plain_name(name) ||
	    snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, system, name) >=
		    (int)sizeof(path))
		return err_set(err, -ENOENT, "%s:%s: no such tracepoint", system, name);
	r = fd_read_file(path, &text, err);
	if (r == 0) {
		errno = 0;
		id = strtoull(text.data ? text.data : "", &end, 10);
		if (errno || end == text.data || !text.data || (*end && *end != '\n'))
			r = err_set(err, -EINVAL, "%s: not a number", path);
		else
			*ret = id;
	}
	buf_done(&text);
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* Folders in `path` that match `glob`, added as prefix + name. */
static int match_folders(const char *path, const char *glob, const char *prefix,
			 struct arena *arena, struct name_list *list)
{
	DIR *dir = opendir(path);

	if (!dir)
		return -errno;
	for (struct dirent *entry; list->count < MAX_NAMES && (entry = readdir(dir));) {
		size_t size = strlen(prefix) + strlen(entry->d_name) + 1;
		char *name;

		if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR) ||
		    fnmatch(glob, entry->d_name, 0) != 0)
			continue;
		name = arena_alloc(arena, size);
		(void)snprintf(name, size, "%s%s", prefix, entry->d_name);
		vec_push(list, name);
	}
	(void)closedir(dir); /* only read */
	return 0;
}

static void hand_over(struct name_list *list, struct arena *arena, const char *const **ret,
		      size_t *ret_count)
{
	const char **copy = arena_array(arena, const char *, list->count + 1);

	if (list->count) {
		qsort(list->item, list->count, sizeof(list->item[0]), by_name);
		memcpy(copy, list->item, list->count * sizeof(copy[0]));
	}
	*ret = copy;
	*ret_count = list->count;
	vec_done(list);
}

int tracepoint_systems(const char *tracefs, struct arena *arena, const char *const **ret,
		       size_t *ret_count)
{
	struct name_list list = { 0 };
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/events", tracefs) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	r = match_folders(path, "*", "", arena, &list);
	if (r == 0)
		hand_over(&list, arena, ret, ret_count);
	vec_done(&list);
	return r;
}

/* One system's tracepoints; a name without a glob is looked up directly. */
static int match_in_system(const char *tracefs, const char *system, const char *name_glob,
			   struct arena *arena, struct name_list *list)
{
	char path[PATH_MAX], prefix[NAME_MAX + 2];
	int n;

	if (!plain_name(system) || (!is_glob(name_glob) && !plain_name(name_glob)))
		return 0;
	(void)snprintf(prefix, sizeof(prefix), "%s:", system); /* fits: plain_name() */
	n = is_glob(name_glob) ? snprintf(path, sizeof(path), "%s/events/%s", tracefs, system)
			       : snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, system,
					  name_glob);
	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (is_glob(name_glob)) {
		n = match_folders(path, name_glob, prefix, arena, list);
		return n == -ENOENT ? 0 : n;
	}
	if (access(path, F_OK) == 0) {
		size_t size = strlen(prefix) + strlen(name_glob) + 1;
		char *name = arena_alloc(arena, size);

		(void)snprintf(name, size, "%s%s", prefix, name_glob);
		vec_push(list, name);
	}
	return 0;
}

int tracepoint_match(const char *tracefs, const char *system_glob, const char *name_glob,
		     struct arena *arena, const char *const **ret, size_t *ret_count,
		     struct err *err)
{
	struct name_list found = { 0 };
	const char *const *systems = &system_glob;
	size_t count = 1;
	int r = 0;

	if (is_glob(system_glob))
		r = tracepoint_systems(tracefs, arena, &systems, &count);
	for (size_t i = 0; i < count && r == 0; i++)
		if (systems == &system_glob || fnmatch(system_glob, systems[i], 0) == 0)
			r = match_in_system(tracefs, systems[i], name_glob, arena, &found);
	if (r)
		err_set(err, r, "%s/events: %s", tracefs, strerror(-r));
	else
		hand_over(&found, arena, ret, ret_count);
	vec_done(&found);
	return r;
}
