/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listing folders (see name_list.h). */
#include "source/event_spec/name_list.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int name_list_folder(struct name_list *list, const char *path, const char *glob, const char *prefix,
		     struct arena *arena)
{
	size_t first = list->count;
	DIR *dir = opendir(path);

	if (!dir)
		return -errno;
	for (struct dirent *entry; list->count < NAME_LIST_MAX && (entry = readdir(dir));) {
		size_t size = strlen(prefix) + strlen(entry->d_name) + 1;
		char *name;

		if (entry->d_name[0] == '.' || fnmatch(glob, entry->d_name, 0) != 0)
			continue;
		name = arena_alloc(arena, size);
		(void)snprintf(name, size, "%s%s", prefix, entry->d_name); /* fits */
		vec_push(list, name);
	}
	(void)closedir(dir); /* only read */
	if (list->count > first)
		qsort(list->item + first, list->count - first, sizeof(list->item[0]), by_name);
	return 0;
}

void name_list_done(struct name_list *list)
{
	vec_done(list);
}
