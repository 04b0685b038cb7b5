/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorted names of what lies in a folder of sysfs or tracefs. */
#ifndef SOURCE_NAME_LIST_H
#define SOURCE_NAME_LIST_H

#include <stddef.h>

struct arena;

#define NAME_LIST_MAX 65536 /* further names are ignored */

/* Grows as a VEC(const char *); the names live in an arena, name_list_done() frees the rest. */
struct name_list {
	const char **item;
	size_t count, capacity;
};

/* Appends prefix + name for every entry that matches the glob (dot files never do), sorted among
 * themselves. -errno of opendir(3). */
int name_list_folder(struct name_list *list, const char *path, const char *glob, const char *prefix,
		     struct arena *arena);
void name_list_done(struct name_list *list);

#endif
