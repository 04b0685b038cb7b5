/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the names that a recording is to keep (symbol/kept/kept_names.h): reads it once, finds
 * every place that its samples hit, and asks this machine for the names of each. */
#ifndef SESSION_KEEP_NAMES_H
#define SESSION_KEEP_NAMES_H

struct buf;
struct err;

/* Of the recording at `path`, which may still lack its end. Appends nothing when nothing has a
 * name. */
int keep_names_of(const char *path, struct buf *ret, struct err *err);

#endif
