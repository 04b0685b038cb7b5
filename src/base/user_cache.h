/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where this user keeps what was made once, for later runs: below $XDG_CACHE_HOME/cupel, or
 * ~/.cache/cupel. Whatever fails costs time later, nothing else. */
#ifndef BASE_USER_CACHE_H
#define BASE_USER_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* A folder: `path`, or when that is NULL the user's of this name. Made when it is not there. Its
 * descriptor, or -1. */
int user_cache_open(const char *path, const char *name);

/* A file of the folder that nobody else may write. Its descriptor, or -1. */
int user_cache_get(int folder, const char *name);
/* Makes a file, or replaces it, by renaming. Temporary files begin with a dot. */
bool user_cache_put(int folder, const char *name, const void *data, size_t len);

#endif
