/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing a picture: what is said then, and what becomes of a recording when that fails. */
#ifndef COMMAND_PICTURE_WRITE_H
#define COMMAND_PICTURE_WRITE_H

#include <stdbool.h>

struct buf;
struct err;
struct profile;

/* Writes it to a file, with a line about samples, losses and the file on standard error, or to
 * standard output: NULL or "-". */
int picture_write(const struct profile *profile, const char *output, bool quiet,
		  struct buf *picture, struct err *err);
/* After a failure: a recording that exists nowhere else must not be lost with its picture, which
 * goes to a new file in a folder for temporary ones. err gets a hint that names it. */
void picture_rescue(const struct buf *picture, struct err *err);

#endif
