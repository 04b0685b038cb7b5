/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tar archives in memory: ustar (POSIX.1-1988) with GNU's and pax's long names, in both directions.
 * Nothing is written to a file system here. Names are keys: tar_find() follows links to members
 * only, so no archive can point outside of itself.
 *
 * Why not libarchive: it links libxml2, nettle, acl, lz4 and others into every start of the
 * program, for a format with 512-byte headers. */
#ifndef FORMAT_TAR_H
#define FORMAT_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;
struct tar;

#define TAR_BLOCK 512

enum tar_type {
	TAR_FILE = '0',
	TAR_HARD_LINK = '1',
	TAR_SYMLINK = '2',
	TAR_FOLDER = '5',
};

struct tar_member {
	const char *name; /* without "./" in front and "/" at the end */
	const char *link; /* of links; else "" */
	enum tar_type type;
	uint64_t modified_s;
	const uint8_t *data; /* of files; borrowed from what was parsed */
	size_t len;
};

/* Whether these first bytes begin a tar archive. */
bool tar_is(const uint8_t *head, size_t len);
/* The data must outlive the tar. A damaged or truncated end is left out and counted; -EBADMSG when
 * nothing is readable. */
int tar_parse(const uint8_t *data, size_t len, struct tar **ret, struct err *err);
void tar_free(struct tar *tar); /* NULL is fine */
size_t tar_count(const struct tar *tar);
const struct tar_member *tar_get(const struct tar *tar, size_t index);
/* Bytes at the end that are not whole members. */
size_t tar_damaged_bytes(const struct tar *tar);
/* The file that the end cuts off, with the bytes that are there; NULL = none. It is no member. */
const struct tar_member *tar_cut(const struct tar *tar);
/* The file of that name, through links inside the archive; NULL = there is none. */
const struct tar_member *tar_find(const struct tar *tar, const char *name);
/* Whether unpacking it below a folder stays there: relative, and without "..". */
bool tar_name_is_safe(const char *name);

/* Appends the header of a member (its data is ignored); the caller writes `len` bytes and pads them
 * to TAR_BLOCK. -ENAMETOOLONG for names above 64 KiB. */
int tar_put_header(const struct tar_member *member, struct buf *ret);

#endif
