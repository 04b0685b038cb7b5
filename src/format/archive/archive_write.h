/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes tar archives, packed on the way: with gzip, which every tar opens, with zstd, or not. */
#ifndef FORMAT_ARCHIVE_WRITE_H
#define FORMAT_ARCHIVE_WRITE_H

struct archive_writer;
struct err;
struct tar_member;

enum archive_packing { ARCHIVE_GZIP, ARCHIVE_ZSTD, ARCHIVE_PLAIN, ARCHIVE_OTHER };

/* By the end of a file name: ".zst", ".tar"; ARCHIVE_OTHER for packers that cannot be written,
 * such as ".bz2"; gzip else. */
enum archive_packing archive_packing_of(const char *name);

/* The descriptor stays the caller's. */
int archive_writer_open(int fd, enum archive_packing packing, struct archive_writer **ret,
			struct err *err);
int archive_writer_add(struct archive_writer *writer, const struct tar_member *member,
		       struct err *err);
/* After the last member. */
int archive_writer_finish(struct archive_writer *writer, struct err *err);
void archive_writer_free(struct archive_writer *writer); /* NULL is fine */

#endif
