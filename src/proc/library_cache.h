/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dynamic linker's list of libraries, /etc/ld.so.cache. Format: glibc, sysdeps/generic/
 * dl-cache.h (the one that begins with "glibc-ld.so.cache1.1", alone or behind an older one). */
#ifndef PROC_LIBRARY_CACHE_H
#define PROC_LIBRARY_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIBRARY_CACHE "/etc/ld.so.cache"

struct library_cache {
	const uint8_t *data; /* borrowed */
	size_t len;
	uint32_t count;
};

/* False: it is not such a file. */
bool library_cache_parse(const uint8_t *data, size_t len, struct library_cache *ret);
/* The paths of libraries with that name, in the linker's order: *at is where to go on, 0 at first.
 * There may be some for other machines. NULL = no more. */
const char *library_cache_next(const struct library_cache *cache, const char *name, uint32_t *at);
/* Whether a file is meant: "libc.so.6" by "libc.so.6", "libc" and "c". */
bool library_is_named(const char *file, const char *name);

#endif
