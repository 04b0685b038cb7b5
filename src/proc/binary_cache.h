/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf's cache of binaries by build id, in $PERF_BUILDID_DIR or ~/.debug, in the layout that
 * perf reads and writes: PATH/ID/elf (debug, kallsyms, vdso, probes), with a link .build-
 * id/xx/yyyy to the folder PATH/ID, where xxyyyy is ID. Only files with these names are written
 * or deleted. Only links in .build-id are followed. */
#ifndef PROC_BINARY_CACHE_H
#define PROC_BINARY_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct binary_cache;
struct build_id;
struct err;

/* The path that a file ("elf", "debug") of a build id has in the cache. False: no such name. */
bool binary_cache_path(const struct build_id *id, const char *file, char *ret, size_t size);

/* -ENOENT when there is no cache and `make` is false. */
int binary_cache_open(bool make, struct binary_cache **ret, struct err *err);
void binary_cache_close(struct binary_cache *cache);		 /* NULL is fine */
const char *binary_cache_name(const struct binary_cache *cache); /* its folder */

struct binary_cache_entry {
	const char *id;	  /* hexadecimal */
	const char *path; /* of the binary, "[vdso]" or "[kernel.kallsyms]" */
	bool whole;	  /* the file is there, and has that build id */
};

/* In order of ids. Stops at the first result other than 0 and returns it. */
int binary_cache_list(const struct binary_cache *cache,
		      int (*each)(void *context, const struct binary_cache_entry *entry),
		      void *context);
bool binary_cache_has(const struct binary_cache *cache, const char *id);

struct binary_cache_file {
	const char *id;	  /* of its binary, hexadecimal */
	const char *path; /* of the binary: absolute, or in brackets */
	const char *name; /* "elf", "debug", "kallsyms" or "vdso" */
	const void *data;
	size_t len;
};

/* Adds a file, or replaces it, and links its folder. -EINVAL for other names. */
int binary_cache_add(struct binary_cache *cache, const struct binary_cache_file *file,
		     struct err *err);
/* Removes the files of an id. -ENOENT if there are none; -ENOTEMPTY if other files are in the
 * folder, which stay. */
int binary_cache_remove(struct binary_cache *cache, const char *id, struct err *err);

/* 2 to 40 hexadecimal digits, an even number. */
bool binary_cache_is_id(const char *text);

#endif
