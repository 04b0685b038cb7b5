/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result file on its way: written beside the older file of that name, which it replaces when it
 * is whole. So a full disk costs the new file and not the old one. What is no regular file, cannot
 * be replaced or is another user's is written in place. */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct err;

struct output_file {
	char path[PATH_MAX];
	char temporary[PATH_MAX]; /* "" = written in place */
};

/* Returns a descriptor for writing, or -errno; not through a symbolic link of another user. */
int output_file_open(struct output_file *file, const char *path);
/* After the descriptor was closed: puts the file in place, or drops it. Returns 0 or -errno. */
int output_file_end(struct output_file *file, bool keep);

/* Opens a file that grows where it is, such as a recording: nothing is kept of an older one. The
 * same rule for symbolic links. Returns a descriptor, or -errno. */
int output_file_open_in_place(const char *path, mode_t mode);
/* Sets err for a code of these functions, and returns it. */
int output_file_error(const char *path, int code, struct err *err);

#endif
