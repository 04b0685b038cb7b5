/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compact unwind tables on disk, so that a binary's table is made once: a folder of files below
 * $XDG_CACHE_HOME/cupel, or ~/.cache/cupel. Files appear by rename, are checked when they are read,
 * and go, the longest unused first, when there are too many. Several processes and threads may use
 * one folder. */
#ifndef SESSION_UNWIND_TABLE_STORE_H
#define SESSION_UNWIND_TABLE_STORE_H

#include <stdint.h>

struct build_id;
struct compact;
struct elf_file;
struct table_store;

/* folder NULL: the user's cache. cap_bytes 0: 256 MiB. Returns NULL if the folder does not exist
 * and cannot be created: then nothing is stored. */
struct table_store *table_store_open(const char *folder, uint64_t cap_bytes);
void table_store_close(struct table_store *store); /* NULL is fine */

/* The key of a binary's table, at most BUILD_ID_MAX bytes: its build id; for a file without one its
 * device, inode, size and time of change. The same for a file of another user (neither root nor the
 * caller), because it may carry the build id of a system library. len 0: no key, because
 * there is no file, as for the vdso. */
void table_store_key(const struct elf_file *elf, struct build_id *ret);

/* The table of that key, or NULL; a store that is NULL has none. */
struct compact *table_store_get(struct table_store *store, const struct build_id *key);
/* Keeps a table. Errors are not reported: they only cost time later. */
void table_store_put(struct table_store *store, const struct build_id *key,
		     const struct compact *table);

#endif
