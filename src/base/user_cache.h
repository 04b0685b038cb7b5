/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files cached for later runs, below $XDG_CACHE_HOME/cupel or ~/.cache/cupel. Failures only cost
 * time. */
#ifndef BASE_USER_CACHE_H
#define BASE_USER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a folder: `path`, or if NULL the user's folder of this name. Makes it if it is missing.
 * Returns a descriptor, or -1. */
int user_cache_open(const char *path, const char *name);
/* Opens the user's folder of this name if it exists. Returns a descriptor, or -1. */
int user_cache_find(const char *name);
/* The path of the user's cache, whether or not it exists. False: this user has none. */
bool user_cache_path(char *ret, size_t size);

/* The user's folder of what must last, $XDG_CONFIG_HOME/cupel or ~/.config/cupel. Makes it if it is
 * missing and that is wanted. Returns a descriptor, or -1. */
int user_config_open(bool make);

/* Opens a file of the folder that no other user may write. Returns a descriptor, or -1. */
int user_cache_get(int folder, const char *name);
/* Makes a file, or replaces it, by renaming. Temporary files begin with a dot. */
bool user_cache_put(int folder, const char *name, const void *data, size_t len);

/* Deletes files with this suffix, the oldest first, until three quarters of the cap are left;
 * nothing below the cap. Only names of hexadecimal digits and '-' count. Temporary files that a
 * process left that died go, too. Returns the bytes that are left. */
uint64_t user_cache_trim(int folder, const char *suffix, uint64_t cap_bytes);

/* Whether it is the name of a temporary file of user_cache_put(), perhaps of a process that
 * died. */
bool user_cache_is_temporary(const char *name);

#endif
