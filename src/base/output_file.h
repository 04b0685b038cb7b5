/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result file that is being written: a temporary file beside the old one, which it replaces
 * when it is complete. A full disk then loses the new file, not the old one. Files that are not
 * regular, cannot be replaced or belong to another user are written in place. */
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

/* Opens and truncates a file that is written in place, such as a recording. The rule for
 * symbolic links is the same. Returns a descriptor, or -errno. */
int output_file_open_in_place(const char *path, mode_t mode);
/* Sets err for a code of these functions, and returns it. */
int output_file_error(const char *path, int code, struct err *err);

#endif
