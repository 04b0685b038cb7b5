/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the source files of a profile's hot lines and keeps their text around those lines in
 * profile->source. A file is taken when its name is that of source code, it is a regular file of a
 * plausible size, is not newer than the program made of it (where that is here), and has all the
 * lines. */
#ifndef SESSION_SOURCE_FILES_H
#define SESSION_SOURCE_FILES_H

#include <stddef.h>

struct profile;

struct source_tally {
	size_t files;	/* with hot lines */
	size_t taken;	/* of them */
	size_t newer;	/* changed after the program was made */
	size_t foreign; /* no text, or too short to have the lines */
};

enum source_file_verdict {
	SOURCE_FILE_TAKEN,
	SOURCE_FILE_ABSENT, /* also: its name is not that of source code, or it is too large */
	SOURCE_FILE_NEWER,  /* than the program */
};

struct file_map;

/* Maps a source file of a program, a path too. symfs: prefix for files, "" or NULL = none. *ret is
 * set only for SOURCE_FILE_TAKEN. */
enum source_file_verdict source_file_open(const char *path, const char *symfs, const char *program,
					  struct file_map *ret);
/* For all hot lines of the profile. */
void source_files_keep(struct profile *profile, const char *symfs, struct source_tally *ret);

#endif
