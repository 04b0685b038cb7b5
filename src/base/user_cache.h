/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files cached for later runs, below $XDG_CACHE_HOME/cupel or ~/.cache/cupel. Failures only cost
 * time. */
#ifndef BASE_USER_CACHE_H
#define BASE_USER_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* A folder: `path`, or when that is NULL the user's of this name. Made when it is not there. Its
 * descriptor, or -1. */
int user_cache_open(const char *path, const char *name);
/* The user's folder of this name if it is there; makes nothing. Its descriptor, or -1. */
int user_cache_find(const char *name);
/* The path of the user's cache, with or without its folders. False: this user has none. */
bool user_cache_path(char *ret, size_t size);

/* Opens a file of the folder that no other user may write. Returns a descriptor, or -1. */
int user_cache_get(int folder, const char *name);
/* Makes a file, or replaces it, by renaming. Temporary files begin with a dot. */
bool user_cache_put(int folder, const char *name, const void *data, size_t len);

/* Whether user_cache_put() makes such names; a process that died may have left one. */
bool user_cache_is_temporary(const char *name);

#endif
