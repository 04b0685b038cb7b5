/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf's cache of binaries by build id, in $PERF_BUILDID_DIR or ~/.debug, in the layout that perf
 * reads and writes: PATH/ID/elf (debug, kallsyms, vdso, probes), with a link .build-id/xx/yyyy to
 * the folder PATH/ID, where xxyyyy is ID. Only what has these names is written or deleted, and no
 * link but those of .build-id is followed. */
#ifndef PROC_BINARY_CACHE_H
#define PROC_BINARY_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct binary_cache;
struct build_id;
struct err;

/* Where a file ("elf", "debug") of a build id is, if it is in the cache. False: there is no such
 * name. */
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

/* In order of the ids; ends at the first result other than 0, and returns that. */
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
/* Removes what an id leads to. -ENOENT when it is not there; -ENOTEMPTY when something else lies
 * there, which stays. */
int binary_cache_remove(struct binary_cache *cache, const char *id, struct err *err);

/* 2 to 40 hexadecimal digits, an even number. */
bool binary_cache_is_id(const char *text);

#endif
