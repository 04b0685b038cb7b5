/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks archives for other programs: binaries go to perf's cache of them (proc/binary_cache.h),
 * the recording goes to a file. Reads those of `cupel archive` and of `perf archive`, also those
 * packed with bzip2, for which bzip2(1) is run. */
#ifndef SESSION_UNPACK_H
#define SESSION_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

struct binary_cache;
struct err;

struct unpack_tally {
	size_t binaries, refused; /* refused: their build id is not that of their name */
	size_t others;		  /* members that are only read inside the archive */
	size_t recording_bytes;
	bool recording_is_cut; /* its end is not in the archive */
	const char *damage;    /* of the archive, as text; NULL = none */
};

struct unpack_target {
	struct binary_cache *cache;
	/* Takes the recording; called at most once. */
	int (*recording)(void *context, const void *data, size_t len, struct err *err);
	void *context;
};

int unpack_archive(const char *path, const struct unpack_target *target, struct unpack_tally *ret,
		   struct err *err);

#endif
