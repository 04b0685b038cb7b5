/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip for outputs that are exchanged compressed (reading unpacks in format/input.c). */
#ifndef FORMAT_GZIP_H
#define FORMAT_GZIP_H

struct buf;
struct err;

/* Replaces the contents of *data by one gzip member of them. The same bytes give the same member:
 * no time, no name. */
int gzip_pack(struct buf *data, struct err *err);

#endif
