/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of source files, for what is asked about their lines. */
#ifndef SESSION_PROBE_PROBE_SOURCE_H
#define SESSION_PROBE_PROBE_SOURCE_H

#include <stdbool.h>

struct buf;
struct err;

/* Of a file by its path, or below a folder by as much of its path as is there. folder: NULL = no
 * such. */
int probe_source_read(const char *path, const char *folder, struct buf *ret, struct err *err);
/* Whether a line, up to its end or that of the text, matches a glob as a whole; blanks do not
 * count. */
bool probe_source_matches(const char *line, const char *glob);

#endif
